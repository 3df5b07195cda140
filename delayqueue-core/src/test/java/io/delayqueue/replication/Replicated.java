package io.delayqueue.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A primary and its synchronised replica, with clients and queues that are closed with them. */
final class Replicated implements AutoCloseable {

    static final String TOPIC = "orders";

    private static final ClientResources RESOURCES = ClientResources.create();

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Deque<DelayQueueClient> queues = new ArrayDeque<>();
    private final Map<EmbeddedRedis, RedisCommands<String, String>> admins = new HashMap<>();
    private final EmbeddedRedis primary;
    private final EmbeddedRedis replica;

    Replicated() {
        primary = opened(server().setting("repl-ping-replica-period", "1").start());
        replica = opened(server().replicaOf(primary).start());
        await().until(() -> info(replica, "master_link_status").equals("up"));
        await().until(() -> info(primary, "slave0").contains("state=online"));
    }

    private static EmbeddedRedis.Builder server() {
        return DocumentedUser.on(EmbeddedRedis.builder().setting("repl-diskless-sync-delay", "0"), DocumentedUser.WAIT);
    }

    EmbeddedRedis primary() {
        return primary;
    }

    EmbeddedRedis replica() {
        return replica;
    }

    /** A connection of the default user to this server. */
    RedisCommands<String, String> admin(EmbeddedRedis server) {
        return admins.computeIfAbsent(
                server, any -> client(server.uri()).connect().sync());
    }

    /** A line of INFO. */
    String info(EmbeddedRedis server, String field) {
        return admin(server)
                .info()
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).trim())
                .findFirst()
                .orElse("");
    }

    /** Waits for a line of INFO. A Sentinel closes connections, also this one, when it changes roles. */
    void awaitInfo(EmbeddedRedis server, String field, String value, Duration atMost) {
        await().atMost(atMost)
                .ignoreExceptionsInstanceOf(RedisException.class)
                .until(() -> info(server, field).contains(value));
    }

    /** The number of calls of a command. */
    long callsOf(EmbeddedRedis server, String command) {
        String line = admin(server)
                .info("commandstats")
                .lines()
                .filter(stat -> stat.startsWith("cmdstat_" + command + ":calls="))
                .findFirst()
                .orElse("");
        return line.isEmpty() ? 0 : Long.parseLong(line.replaceAll("[^=]*=(\\d+),.*", "$1"));
    }

    /** A client that is shut down at the end. */
    RedisClient client(String uri) {
        RedisClient client = RedisClient.create(RESOURCES, uri);
        opened.push(() -> client.shutdown(Duration.ZERO, Duration.ofSeconds(2)));
        return client;
    }

    /** A queue on the primary. */
    DelayQueueClient queue(UnaryOperator<DelayQueueOptions.Builder> options) {
        return queue(client(DocumentedUser.uri(primary.uri())), options);
    }

    /** A queue, closed before the servers. */
    DelayQueueClient queue(RedisClient client, UnaryOperator<DelayQueueOptions.Builder> options) {
        DelayQueueOptions.Builder defaults = DelayQueueOptions.builder().shutdownTimeout(Duration.ofMillis(100));
        DelayQueueClient queue =
                DelayQueueClient.create(client, options.apply(defaults).build());
        queues.push(queue);
        return queue;
    }

    /** A message that is not due while the test runs. */
    static OutgoingMessage later(String id) {
        return message(id).delay(Duration.ofHours(1)).build();
    }

    static OutgoingMessage.Builder message(String id) {
        return OutgoingMessage.to(TOPIC).id(id).payload(new byte[] {1});
    }

    /** Checks promise 7 on this queue's server. */
    static void assertAccounted(DelayQueueClient queue) {
        assertThat(queue.stats(queue.topics()).values())
                .allSatisfy(stats -> assertThat(stats.unaccounted())
                        .as("unaccounted of %s", stats)
                        .isZero());
    }

    <C extends AutoCloseable> C opened(C resource) {
        opened.push(resource);
        return resource;
    }

    /** Closes the queues between tests that share the servers; fails if the documented user was denied anything. */
    void closeQueues() {
        while (!queues.isEmpty()) {
            queues.pop().close();
        }
        Stream.of(primary, replica)
                .filter(EmbeddedRedis::isRunning)
                .forEach(server -> DocumentedUser.assertNothingDenied(admin(server)));
    }

    @Override
    public void close() throws Exception {
        try {
            closeQueues();
        } finally {
            while (!opened.isEmpty()) {
                opened.pop().close();
            }
        }
    }

    static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(20));
    }
}
