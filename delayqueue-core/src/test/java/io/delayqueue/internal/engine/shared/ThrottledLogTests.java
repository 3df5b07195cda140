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

    private static final RuntimeException AWAY = new RedisUnavailableException("Redis is away", null, null, null);

    private final LogLines log = LogLines.of("io.delayqueue");
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final ThrottledLog throttled = new ThrottledLog("Redis", nanos::get);

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Test
    void theFirstFailureIsReportedAtOnceAndTheNextThousandsAreNot() {
        for (int i = 0; i < 10_000; i++) {
            throttled.failed(AWAY);
        }

        assertThat(log.lines()).containsExactly("WARN Redis: Redis is away (1 failed calls so far; still retrying)");
    }

    @Test
    void aReminderComesOnceAMinute() {
        for (int second = 0; second < 150; second++) {
            throttled.failed(AWAY);
            pass(1);
        }

        assertThat(log.lines())
                .containsExactly(
                        "WARN Redis: Redis is away (1 failed calls so far; still retrying)",
                        "WARN Redis: Redis is away (61 failed calls so far; still retrying)",
                        "WARN Redis: Redis is away (121 failed calls so far; still retrying)");
    }

    @Test
    void theEndIsReportedWithTheNumberOfFailures() {
        throttled.failed(AWAY);
        throttled.failed(AWAY);
        throttled.succeeded();
        throttled.succeeded();

        assertThat(log.lines()).hasSize(2).last().isEqualTo("INFO Redis works again after 2 failed calls");
    }

    @Test
    void theNextFailureIsReportedAnewAndCountsFromOne() {
        throttled.failed(AWAY);
        throttled.succeeded();
        pass(10);
        throttled.failed(AWAY);

        assertThat(log.lines())
                .hasSize(3)
                .last()
                .isEqualTo("WARN Redis: Redis is away (1 failed calls so far; still retrying)");
    }

    @Test
    void aFailureThatComesAndGoesManyTimesASecondDoesNotFloodTheLog() {
        for (int i = 0; i < 1000; i++) {
            throttled.failed(AWAY);
            throttled.succeeded();
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
        }

        assertThat(log.lines()).as("10 s").hasSizeLessThanOrEqualTo(6);
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

        assertThat(log.lines()).hasSize(3).last().asString().startsWith("WARN Redis: Redis is away");
    }

    @Test
    void aFailureThatIsNotOursIsShownWithItsStack() {
        var bug = new IllegalStateException("bug");
        throttled.failed(bug);

        assertThat(log.events())
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

        assertThat(log.lines())
                .containsExactly(
                        "WARN Redis: 2 odd things", "WARN Redis: 120 odd things", "WARN Redis: 120 odd things");
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

        assertThat(log.lines())
                .containsExactly(
                        "WARN Redis: it lasts since 0",
                        "WARN Redis: it lasts since 60",
                        "WARN Redis: it lasts since 120");
    }
}
