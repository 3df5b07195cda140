package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.TOO_LARGE;
import static io.delayqueue.jdbc.relay.OutboxFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

class RefusalLogTests {

    private static final OutboxSettings TWICE =
            new OutboxSettings(Duration.ofSeconds(10), 500, Duration.ofSeconds(1), 10, 2);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.delayqueue.jdbc");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
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
    void manyRefusalsAreALineOfEachKind(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(50, "bad", TOO_LARGE, 1, ENDED);
        try (Relay relay = new Relay(rows.database, redis.outbox, new RefusalLog(), TWICE)) {
            relay.runOnce();
            rows.freeRows();
            relay.runOnce();
        }
        assertThat(lines()).hasSize(2);
        assertThat(lines().get(0))
                .startsWith("WARN A change of message 'bad")
                .contains("of topic 'orders' was refused and will be sent again: ");
        assertThat(lines().get(1))
                .startsWith("ERROR Message 'bad")
                .contains("is blocked", "actuator endpoint 'delayqueuejournal'");
    }

    @Test
    void theNextLineTellsHowManyWereLeftOut() {
        AtomicLong nanos = new AtomicLong(5);
        RefusalLog refusals = new RefusalLog(Duration.ofMinutes(1), nanos::get);
        refusals.postponed(key("a"), "full");
        refusals.blocked(key("a"), "too large");
        refusals.postponed(key("b"), "full");
        refusals.postponed(key("c"), "full");
        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        refusals.postponed(key("d"), "full");
        assertThat(lines()).hasSize(2).noneMatch(line -> line.contains("others"));

        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        refusals.postponed(key("e"), "full");
        refusals.blocked(key("e"), "too large");
        refusals.postponed(key("f"), "full");

        assertThat(lines()).hasSize(4);
        assertThat(lines().get(2)).contains("'e'").endsWith("full (and 3 others since the last such line)");
        assertThat(lines().get(3)).doesNotContain("others");
    }

    private List<String> lines() {
        return log.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }
}
