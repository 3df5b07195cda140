package io.delayqueue.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueue;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.WakeUp;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The user of {@code docs/operations/security.md}, taken from there, can do all that is needed; and needs all that it can. */
class DocumentedUserTest {

    private static final Path DOCUMENT = Path.of("..", "docs", "operations", "security.md");
    private static final String START = "ACL SETUSER ";

    /** For the client itself, and for what the start-up checks tell if they may. */
    private static final Set<String> OPTIONAL =
            Set.of("+hello", "+ping", "+client", "+info", "+config|get", "+unsubscribe");

    private static EmbeddedRedis server;
    private static RedisClient admin;
    private static RedisCommands<String, String> redis;

    private RedisClient client;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
        admin = RedisClient.create(server.uri());
        redis = admin.connect().sync();
    }

    @AfterAll
    static void stopServer() {
        admin.shutdown(0, 1, TimeUnit.SECONDS);
        server.close();
    }

    @BeforeEach
    void createUser() {
        redis.flushall();
        acl("SETUSER", "delayqueue", "reset");
        acl(Stream.concat(Stream.of("SETUSER"), words().stream()).toArray(String[]::new));
        redis.aclLogReset();
        client = RedisClient.create(RedisURI.builder()
                .withHost(server.host())
                .withPort(server.port())
                .withAuthentication("delayqueue", "a-long-password")
                .build());
    }

    @AfterEach
    void closeClient() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }

    @Test
    void theWholeLifeOfMessagesNeedsNothingElse() {
        try (DelayQueue queue = open(WakeUp.PUBSUB, 1)) {
            assertThat(queue.inspectServers().get(0).missingRights()).isEmpty();
            live(queue);
        }
        try (DelayQueue queue = open(WakeUp.PUBSUB, 3)) {
            queue.schedule(message("raised").build());
            assertThat(queue.find("orders", "raised")).isPresent();
        }
        assertThat(redis.aclLog()).isEmpty();
    }

    @Test
    void pollingNeedsNoChannels() {
        acl("SETUSER", "delayqueue", "resetchannels", "-publish", "-subscribe", "-unsubscribe");
        try (DelayQueue queue = open(WakeUp.POLL, 1)) {
            assertThat(queue.inspectServers().get(0).missingRights()).isEmpty();
            live(queue);
        }
        assertThat(redis.aclLog()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("neededCommands")
    void eachRightIsNamedWhereItIsMissing(String command) {
        acl("SETUSER", "delayqueue", "-" + command);

        try (DelayQueue queue = open(WakeUp.PUBSUB, 1)) {
            assertThat(queue.inspectServers().get(0).missingRights())
                    .isNotEmpty()
                    .allSatisfy(right -> assertThat(right.split("[ ,]")[0]).isEqualTo(command.replace("_", "")));
        }
        redis.flushall();
    }

    static Stream<String> neededCommands() {
        return words().stream()
                .filter(word -> word.startsWith("+") && !OPTIONAL.contains(word))
                // a server that knows the script answers EVALSHA, and EVAL is never sent
                .filter(word -> !word.equals("+eval"))
                .map(word -> word.substring(1));
    }

    private static void live(DelayQueue queue) {
        List<String> handled = new ArrayList<>();
        Subscription subscription = queue.subscribe(
                "orders",
                ConsumerOptions.builder()
                        .concurrency(1)
                        .maxAttempts(2)
                        .lease(Duration.ofMillis(300))
                        .build(),
                (message, delivery) -> {
                    if (message.id().startsWith("dead")) {
                        delivery.deadLetter("no use");
                    } else if (message.id().startsWith("again") && message.attempt() == 1) {
                        delivery.retryAfter(Duration.ofMillis(1));
                    } else if (message.id().startsWith("long")) {
                        assertThat(delivery.extend(Duration.ofSeconds(5))).isTrue();
                    }
                    handled.add(message.id());
                });
        subscription.start();
        queue.schedule(message("later").delay(Duration.ofHours(1)).build());
        queue.schedule(message("later")
                .delay(Duration.ofHours(2))
                .ifExists(DuplicatePolicy.REPLACE)
                .build());
        queue.scheduleAll(List.of(
                message("dead-1").priority(9).build(),
                message("dead-2").build(),
                message("again").build(),
                message("long").build(),
                message("short-lived").timeToLive(Duration.ofNanos(1000)).build()));
        await().atMost(Duration.ofSeconds(25))
                .until(() -> queue.stats("orders").dead() == 2
                        && queue.stats("orders").ready() == 0
                        && queue.stats("orders").inFlight() == 0);
        assertThat(queue.deadLetters("orders").list(0, 10)).hasSize(2);
        queue.pause("orders");
        assertThat(queue.deadLetters("orders").redrive(List.of("dead-1"))).isEqualTo(1);
        assertThat(queue.deadLetters("orders").redriveAll()).isEqualTo(1);
        queue.resume("orders");
        await().atMost(Duration.ofSeconds(25)).until(() -> queue.stats("orders").dead() == 2);
        assertThat(queue.deadLetters("orders").purge(List.of("dead-2"))).isEqualTo(1);
        assertThat(queue.deadLetters("orders").purgeOlderThan(Duration.ZERO)).isEqualTo(1);
        queue.reschedule("orders", "later", Delay.of(Duration.ofHours(3)));
        assertThat(queue.find("orders", "later")).isPresent();
        queue.cancel("orders", "later");
        assertThat(queue.topics()).containsExactly("orders");
        assertThat(subscription.stop(Duration.ofSeconds(20))).isTrue();
        assertThat(queue.stats("orders").unaccounted()).isZero();
    }

    private DelayQueue open(WakeUp wakeUp, int partitions) {
        return DelayQueue.create(
                client,
                DelayQueueOptions.builder()
                        .wakeUp(wakeUp)
                        .guardInterval(Duration.ofMillis(100))
                        .commandTimeout(Duration.ofSeconds(10))
                        .topicDefaults(TopicOptions.DEFAULTS.withPartitions(partitions))
                        .build());
    }

    private static OutgoingMessage.Builder message(String id) {
        return OutgoingMessage.to("orders").id(id).payload(new byte[] {1});
    }

    /** The arguments of the documented command. */
    private static List<String> words() {
        try (Stream<String> lines = Files.lines(DOCUMENT)) {
            String command =
                    lines.filter(line -> line.startsWith(START)).findFirst().orElseThrow();
            return Arrays.asList(command.substring(START.length()).split(" "));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void acl(String... arguments) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        for (String argument : arguments) {
            args.add(argument);
        }
        redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
    }
}
