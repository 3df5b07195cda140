package io.delayqueue.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.Subscription;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.proxy.FaultyProxy;
import io.delayqueue.testsupport.proxy.Request;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Passwords that change or are refused: the queue recovers, and no exception or log line of any level has one. */
@Tag("slow")
class SecretsTests {

    private static final String OLD = "open-sesame-7f3a";
    private static final String NEW = "shut-sesame-91bc";

    private final LogLines log = LogLines.ofLibraryAtEveryLevel();
    private final EmbeddedRedis server =
            DocumentedUser.on(EmbeddedRedis.builder()).start();
    private final RedisClient admin = RedisClient.create(server.uri());
    private final RedisCommands<String, String> redis = admin.connect().sync();
    private final BlockingQueue<String> handled = new LinkedBlockingQueue<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private RedisClient client;
    private DelayQueueClient queue;
    private Subscription subscription;

    @BeforeEach
    void setPassword() {
        password(OLD);
    }

    @AfterEach
    void nothingWasLeaked() {
        try {
            for (Throwable failure : failures) {
                StringWriter trace = new StringWriter();
                failure.printStackTrace(new PrintWriter(trace));
                assertThat(trace.toString()).doesNotContain(OLD).doesNotContain(NEW);
            }
            assertThat(log.everything()).doesNotContain(OLD).doesNotContain(NEW);
            assertThat(queue.toString() + subscription + DelayQueueOptions.defaults())
                    .doesNotContain(OLD)
                    .doesNotContain(NEW);
        } finally {
            queue.close();
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            admin.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            server.close();
            log.close();
        }
    }

    @Test
    void openConnectionsOutliveTheirPasswordAndNewOnesNeedTheNewOne() throws Exception {
        open(uri("redis://delayqueue:" + OLD + "@127.0.0.1:" + server.port()));
        password(NEW);
        schedule("over an open connection");
        assertThat(handled.poll(25, TimeUnit.SECONDS)).isEqualTo("over an open connection");

        killConnections();
        soon().until(() -> failure() instanceof RedisAccessDeniedException);
        soon().until(() -> !subscription.isHealthy());
        soon().untilAsserted(() -> assertThat(failure())
                .hasMessageContaining("WRONGPASS")
                .hasMessageContaining("Check user name and password"));
        soon().until(() -> log.everything().contains("WRONGPASS"));

        password(OLD); // as an operator may do who sees that
        soon().until(() -> failure() == null);
        assertThat(handled.poll(25, TimeUnit.SECONDS)).isEqualTo("probe");
        soon().until(subscription::isHealthy);
    }

    @Test
    void clientThatLearnsTheNewPasswordRecovers() throws Exception {
        AtomicReference<String> password = new AtomicReference<>(OLD);
        RedisURI uri = uri(server.uri());
        uri.setCredentialsProvider(
                RedisCredentialsProvider.from(() -> RedisCredentials.just("delayqueue", password.get())));
        open(uri);
        password(NEW);
        password.set(NEW);

        killConnections();
        soon().until(() -> failure() == null);
        assertThat(handled.poll(25, TimeUnit.SECONDS)).isEqualTo("probe");
        soon().until(subscription::isHealthy);
    }

    @Test
    void serverThatRepeatsTheRefusedLoginLeaksNothing() throws Exception {
        try (FaultyProxy proxy = new FaultyProxy(server.port())) {
            String refusal = "-ERR unknown command 'AUTH', with args beginning with: 'delayqueue' '" + OLD + "'\r\n";
            open(uri("redis://delayqueue:" + OLD + "@127.0.0.1:" + proxy.port()));
            proxy.answerRaw(Request.named("HELLO").or(Request.named("AUTH")), refusal.getBytes(StandardCharsets.UTF_8));
            killConnections();

            soon().until(() -> failure() != null);
            soon().untilAsserted(() -> assertThat(failure()).hasMessageContaining("unknown command 'AUTH'"));
            soon().until(() -> log.everything().contains("unknown command 'AUTH'"));
        }
    }

    @Test
    void unreachableServerLeaksNothing() throws Exception {
        open(uri("redis://delayqueue:" + OLD + "@127.0.0.1:" + server.port()));
        server.kill();

        soon().until(() -> failure() instanceof RedisUnavailableException);
        soon().until(() -> !subscription.isHealthy());
        server.restart();
        password(OLD);
        soon().until(() -> failure() == null);
        assertThat(handled.poll(25, TimeUnit.SECONDS)).isEqualTo("probe");
    }

    private void open(RedisURI uri) {
        client = RedisClient.create(uri);
        queue = DelayQueueClient.create(
                client,
                DelayQueueOptions.builder()
                        .guardInterval(Duration.ofMillis(200))
                        .commandTimeout(Duration.ofSeconds(1))
                        .shutdownTimeout(Duration.ofMillis(100))
                        .build());
        subscription =
                queue.subscribe("orders", ConsumerOptions.defaults(), (message, delivery) -> handled.add(message.id()));
        subscription.start();
        soon().until(subscription::isHealthy);
    }

    private static RedisURI uri(String uri) {
        return RedisURI.create(uri);
    }

    private void password(String password) {
        soon().ignoreExceptions().until(() -> {
            DocumentedUser.acl(redis, "SETUSER", "delayqueue", "resetpass", ">" + password);
            return true;
        });
    }

    /** All but the test's own. */
    private void killConnections() {
        for (String line : redis.clientList().lines().toList()) {
            if (line.contains("user=delayqueue")) {
                redis.clientKill(KillArgs.Builder.id(Long.parseLong(line.replaceAll("id=(\\d+) .*", "$1"))));
            }
        }
    }

    private void schedule(String id) {
        queue.schedule(OutgoingMessage.to("orders").id(id).payload(new byte[1]).build());
    }

    /** Of one more call; null if there is none. */
    private Throwable failure() {
        Throwable failure = catchThrowable(() -> schedule("probe"));
        if (failure != null) {
            assertThat(failure).isInstanceOf(DelayQueueException.class);
            failures.add(failure);
        }
        return failure;
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(25)).pollInterval(Duration.ofMillis(50));
    }
}
