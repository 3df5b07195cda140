package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.MINE;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static io.delayqueue.jdbc.relay.OutboxFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.outbox.CommittedChange;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** No error, wherever it comes from, ends the loop of a relay or a hand-over. Each is logged, but not each time. */
class LoopErrorsTests {

    private static final OutboxSettings SETTINGS =
            new OutboxSettings(Duration.ofSeconds(1), 500, Duration.ofMillis(50), 100, 10);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.delayqueue.jdbc");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Queue<Throwable> atCall =
            new ConcurrentLinkedQueue<>(List.of(new InternalError("pretended"), new StackOverflowError("pretended")));
    private final Queue<Throwable> atReply =
            new ConcurrentLinkedQueue<>(List.of(new NoClassDefFoundError("pretended"), new InternalError("pretended")));
    private final Queue<Throwable> atRecord = new ConcurrentLinkedQueue<>(
            List.of(new IllegalStateException("pretended"), new NoSuchMethodError("pretended")));
    private final OutboxListener listener = new OutboxListener() {
        @Override
        public void sent(List<SentChange> changes, List<PartitionMark> marks) {
            throwNext(atRecord);
        }
    };

    @BeforeEach
    void listen() {
        redis.outbox.beforeCall = operations -> throwNext(atCall);
        redis.outbox.beforeReply = () -> throwNext(atReply);
        log.start();
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    @EachDatabase(DatabaseKind.H2)
    void aRelayGoesOn(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", 1, ENDED);
        try (Relay relay = new Relay(rows.database, redis.outbox, listener, SETTINGS)) {
            relay.start();
            await().until(() -> {
                rows.freeRows();
                return rows.outboxRows() == 0;
            });
            await().until(() -> !relay.isFailing());
        }
        assertAllThrown();
        assertThat(redis.accepted()).isEqualTo(1);
        assertLoggedOnce("delayqueue-relay");
    }

    @EachDatabase(DatabaseKind.H2)
    void aHandOverGoesOn(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", MINE, TimeUnit.HOURS.toMicros(1));
        try (QueuedHandOver handOver = new QueuedHandOver(rows.database, redis.outbox, listener, SETTINGS, MINE)) {
            handOver.start();
            await().until(() -> {
                handOver.offer(List.of(new CommittedChange(key("a"), "aaaaaaaa")));
                return rows.outboxRows() == 0;
            });
            await().until(() -> !handOver.isFailing());
        }
        assertAllThrown();
        assertThat(redis.accepted()).isEqualTo(1);
        assertLoggedOnce("delayqueue-hand-over");
    }

    private void assertAllThrown() {
        assertThat(List.<Collection<Throwable>>of(atCall, atReply, atRecord)).allMatch(Collection::isEmpty);
    }

    private void assertLoggedOnce(String loop) {
        assertThat(log.list)
                .extracting(event -> event.getLevel() + " " + event.getFormattedMessage())
                .hasSize(2)
                .first()
                .asString()
                .startsWith("WARN " + loop)
                .contains("still retrying");
        assertThat(log.list.get(0).getThrowableProxy()).isNotNull();
        assertThat(log.list.get(1).getFormattedMessage()).startsWith(loop + " works again after ");
    }

    private static void throwNext(Queue<Throwable> errors) {
        Throwable next = errors.poll();
        if (next instanceof Error error) {
            throw error;
        }
        if (next instanceof RuntimeException exception) {
            throw exception;
        }
    }
}
