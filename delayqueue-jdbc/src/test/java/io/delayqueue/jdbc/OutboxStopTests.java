package io.delayqueue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.relay.OutboxLifecycle;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.context.SmartLifecycle;

/** Applications that stop and start while they have something to send. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class OutboxStopTests {

    private static final String[] SHORT_SEND_TIMEOUT = {
        "delayqueue.command-timeout=2s",
        "delayqueue.journal.outbox.send-timeout=2s",
        "delayqueue.journal.outbox.remember-applied=1m"
    };

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void whatWasCommittedBeforeTheStopIsSent(TestDatabase database, EmbeddedRedis redis) {
        try (OutboxApplication application = new OutboxApplication(database, redis)) {
            application
                    .transaction()
                    .executeWithoutResult(status -> application.template().scheduleAll(messages()));
        }

        try (OutboxApplication next = new OutboxApplication(database, redis, "delayqueue.journal.enabled=false")) {
            assertThat(next.outboxRows()).isZero();
            assertThat(next.accepted("orders")).isEqualTo(3_000);
        }
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void theNextStartSendsWhatAnAbsentRedisDidNotTake(TestDatabase database, EmbeddedRedis redis) {
        try (OutboxApplication application = new OutboxApplication(database, redis, SHORT_SEND_TIMEOUT)) {
            application
                    .template()
                    .message("orders", "x")
                    .id("first")
                    .delay(Duration.ofHours(1))
                    .schedule();
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application.outboxRows()).isZero());
            redis.stop();
            application
                    .transaction()
                    .executeWithoutResult(status -> application.template().scheduleAll(messages()));
            assertThat(application.outboxRows()).isEqualTo(3_000);
        }
        redis.restart();

        try (OutboxApplication next = new OutboxApplication(database, redis, SHORT_SEND_TIMEOUT)) {
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(next.outboxRows()).isZero());
            assertThat(next.accepted("orders")).isGreaterThanOrEqualTo(3_000);
        }
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void whatBeansScheduleAsTheyStopIsSent(TestDatabase database, EmbeddedRedis redis) {
        try (OutboxApplication application = new OutboxApplication(database, redis)) {
            SmartLifecycle client = (SmartLifecycle) application.client();
            for (int phase : new int[] {client.getPhase() + 1, SmartLifecycle.DEFAULT_PHASE}) {
                Runnable schedule = () -> application
                        .transaction()
                        .executeWithoutResult(status -> application.template().scheduleAll(messages()));
                application
                        .context()
                        .getBeanFactory()
                        .registerSingleton("lastWords" + phase, new LastWords(phase, schedule));
            }

            application.context().stop();
            assertThat(application.outboxRows()).isZero();

            application.context().start();
            assertThat(application.accepted("orders")).isEqualTo(6_000);
            application
                    .transaction()
                    .executeWithoutResult(
                            status -> application.template().schedule("orders", "x", Duration.ofHours(1)));
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application.outboxRows()).isZero());
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void aSilentRedisHoldsTheStopUpForTheShutdownTimeoutAtMost(TestDatabase database, EmbeddedRedis redis) {
        try (OutboxApplication application = new OutboxApplication(
                database, redis, "delayqueue.command-timeout=60s", "delayqueue.shutdown-timeout=1s")) {
            application.template().schedule("orders", "first", Duration.ofHours(1));
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application.outboxRows()).isZero());
            OutboxLifecycle sending = application.context().getBean(OutboxLifecycle.class);
            redis.pause();
            try {
                application
                        .transaction()
                        .executeWithoutResult(status -> application.template().scheduleAll(messages()));
                long began = System.nanoTime();
                sending.stop();
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .as("a call of Redis takes 60 s to fail")
                        .isLessThan(Duration.ofSeconds(30));
                assertThat(sending.isRunning()).isFalse();
            } finally {
                redis.resume();
            }
        }
    }

    /** Schedules when the application stops. */
    private record LastWords(int phase, Runnable words) implements SmartLifecycle {

        @Override
        public void start() {}

        @Override
        public void stop() {
            words.run();
        }

        @Override
        public boolean isRunning() {
            return true;
        }

        @Override
        public int getPhase() {
            return phase;
        }
    }

    private static List<OutgoingMessage> messages() {
        return IntStream.range(0, 3_000)
                .mapToObj(i -> OutgoingMessage.to("orders")
                        .payload(new byte[100])
                        .delay(Duration.ofHours(1))
                        .build())
                .toList();
    }
}
