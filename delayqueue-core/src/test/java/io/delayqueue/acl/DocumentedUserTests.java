package io.delayqueue.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.WakeUp;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
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

/** The user of {@code docs/operations/security.md}, taken from there, has all permissions that the library needs, and no other. */
class DocumentedUserTests {

    /** For the Redis client, for optional start-up checks, and for what newer clients say. */
    private static final Set<String> OPTIONAL = Set.of(
            "+hello",
            "+ping",
            "+client|setinfo",
            "+client|maint_notifications",
            "+info",
            "+config|get",
            "+unsubscribe");

    private static EmbeddedRedis server;
    private static RedisClient admin;
    private static RedisCommands<String, String> redis;

    private RedisClient client;

    @BeforeAll
    static void startServer() {
        server = DocumentedUser.on(EmbeddedRedis.builder()).start();
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
        DocumentedUser.create(redis);
        redis.aclLogReset();
        client = RedisClient.create(DocumentedUser.uri(server.uri()));
    }

    @AfterEach
    void closeClient() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }

    @Test
    void allOperationsNeedNothingElse() {
        try (DelayQueueClient queue = open(WakeUp.PUBSUB, 1)) {
            assertThat(queue.inspectServers().get(0).missingPermissions()).isEmpty();
            live(queue);
        }
        try (DelayQueueClient queue = open(WakeUp.PUBSUB, 3)) {
            queue.schedule(message("raised").build());
            assertThat(queue.find("orders", "raised")).isPresent();
        }
        DocumentedUser.assertNothingDenied(redis);
    }

    @Test
    void pollingNeedsNoChannels() {
        acl("delayqueue", "resetchannels", "-publish", "-subscribe", "-unsubscribe");
        try (DelayQueueClient queue = open(WakeUp.POLL, 1)) {
            assertThat(queue.inspectServers().get(0).missingPermissions()).isEmpty();
            live(queue);
        }
        DocumentedUser.assertNothingDenied(redis);
    }

    @ParameterizedTest
    @MethodSource("neededCommands")
    void eachMissingPermissionIsNamed(String command) {
        acl("delayqueue", "-" + command);

        try (DelayQueueClient queue = open(WakeUp.PUBSUB, 1)) {
            assertThat(queue.inspectServers().get(0).missingPermissions())
                    .isNotEmpty()
                    .allSatisfy(missing -> assertThat(missing.split("[ ,]")[0]).isEqualTo(command.replace("_", "")));
        }
        redis.flushall();
    }

    static Stream<String> neededCommands() {
        return DocumentedUser.rules().stream()
                .filter(word -> word.startsWith("+") && !OPTIONAL.contains(word))
                // a server that knows the script answers EVALSHA, and EVAL is never sent
                .filter(word -> !word.equals("+eval"))
                .map(word -> word.substring(1));
    }

    private static void live(DelayQueueClient queue) {
        List<String> handled = new ArrayList<>();
        Subscription subscription = queue.subscribe(
                "orders",
                ConsumerOptions.builder()
                        .concurrency(1)
                        .maxAttempts(2)
                        .lease(Duration.ofSeconds(5))
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
                        && queue.stats("orders").pending().ready() == 0
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

    private DelayQueueClient open(WakeUp wakeUp, int partitions) {
        return DelayQueueClient.create(
                client,
                DelayQueueOptions.builder()
                        .wakeUp(wakeUp)
                        .guardInterval(Duration.ofMillis(100))
                        .commandTimeout(Duration.ofSeconds(10))
                        .topicDefaults(
                                TopicOptions.builder().partitions(partitions).build())
                        .build());
    }

    private static OutgoingMessage.Builder message(String id) {
        return OutgoingMessage.to("orders").id(id).payload(new byte[] {1});
    }

    private static void acl(String... arguments) {
        DocumentedUser.acl(redis, "SETUSER", arguments);
    }
}
