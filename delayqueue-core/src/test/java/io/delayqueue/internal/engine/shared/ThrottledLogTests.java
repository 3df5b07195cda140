package io.delayqueue.internal.engine.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.RedisUnavailableException;
import io.delayqueue.testsupport.FailingLog;
import io.delayqueue.testsupport.LogLines;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThrottledLogTests {

    /** No other client of this JVM logs under this name. */
    private static final String SUBJECT = "Redis of this test";

    private static final RuntimeException AWAY = new RedisUnavailableException("Redis is away", null, null, null);

    private final LogLines log = LogLines.ofEngine();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final ThrottledLog throttled = new ThrottledLog(SUBJECT, nanos::get);

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Test
    void theFirstFailureIsReportedAtOnceAndTheNextThousandsAreNot() {
        for (int i = 0; i < 10_000; i++) {
            throttled.failed(AWAY);
        }

        assertThat(log.with(SUBJECT))
                .containsExactly("WARN Redis of this test: Redis is away (1 failed calls so far; still retrying)");
    }

    @Test
    void aReminderComesOnceAMinute() {
        for (int second = 0; second < 150; second++) {
            throttled.failed(AWAY);
            pass(1);
        }

        assertThat(log.with(SUBJECT))
                .containsExactly(
                        "WARN Redis of this test: Redis is away (1 failed calls so far; still retrying)",
                        "WARN Redis of this test: Redis is away (61 failed calls so far; still retrying)",
                        "WARN Redis of this test: Redis is away (121 failed calls so far; still retrying)");
    }

    @Test
    void theEndIsReportedWithTheNumberOfFailures() {
        throttled.failed(AWAY);
        throttled.failed(AWAY);
        throttled.succeeded();
        throttled.succeeded();

        assertThat(log.with(SUBJECT))
                .hasSize(2)
                .last()
                .isEqualTo("INFO Redis of this test works again after 2 failed calls");
    }

    @Test
    void theNextFailureIsReportedAnewAndCountsFromOne() {
        throttled.failed(AWAY);
        throttled.succeeded();
        pass(10);
        throttled.failed(AWAY);

        assertThat(log.with(SUBJECT))
                .hasSize(3)
                .last()
                .isEqualTo("WARN Redis of this test: Redis is away (1 failed calls so far; still retrying)");
    }

    @Test
    void aFailureThatComesAndGoesManyTimesASecondDoesNotFloodTheLog() {
        for (int i = 0; i < 1000; i++) {
            throttled.failed(AWAY);
            throttled.succeeded();
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
        }

        assertThat(log.with(SUBJECT)).as("10 s").hasSizeLessThanOrEqualTo(6);
    }

    @Test
    void aFailureThatFollowsAnotherCloselyIsReportedIfItLasts() {
        throttled.failed(AWAY);
        throttled.succeeded();
        pass(1);
        for (int second = 0; second < 8; second++) {
            throttled.failed(AWAY);
            pass(1);
        }

        assertThat(log.with(SUBJECT)).hasSize(3).last().asString().startsWith("WARN Redis of this test: Redis is away");
    }

    @Test
    void aFailureThatIsNotOursIsShownWithItsStack() {
        var bug = new IllegalStateException("bug");
        throttled.failed(bug);

        assertThat(log.events())
                .filteredOn(event -> event.getFormattedMessage().startsWith(SUBJECT))
                .singleElement()
                .satisfies(event ->
                        assertThat(event.getThrowableProxy().getMessage()).isEqualTo("bug"));
    }

    private void pass(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void anOddityIsReportedAtOnceAndThenOnceAMinuteWithTheNumberSince() {
        for (int second = 0; second < 125; second++) {
            throttled.found(2, "odd things");
            pass(1);
        }

        assertThat(log.with(SUBJECT))
                .containsExactly(
                        "WARN Redis of this test: 2 odd things",
                        "WARN Redis of this test: 120 odd things",
                        "WARN Redis of this test: 120 odd things");
    }

    @Test
    void aLoggerThatFailsHarmsNoCaller() {
        try (FailingLog failing = FailingLog.begin()) {
            throttled.failed(AWAY);
            throttled.succeeded();
            pass(100);
            throttled.found(1, "odd thing");
            pass(100);
            throttled.warn("it lasts");
            pass(100);
            throttled.failed("a loop goes on", new IllegalStateException("bug"));

            assertThat(failing.failedLines()).isEqualTo(5);
        }
    }

    @Test
    void aStateThatLastsIsReportedAtOnceAndThenOnceAMinute() {
        for (int second = 0; second < 125; second++) {
            throttled.warn("it lasts since " + second);
            pass(1);
        }

        assertThat(log.with(SUBJECT))
                .containsExactly(
                        "WARN Redis of this test: it lasts since 0",
                        "WARN Redis of this test: it lasts since 60",
                        "WARN Redis of this test: it lasts since 120");
    }
}
