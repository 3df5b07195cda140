package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.RedisUnavailableException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutageTests {

    private static final RuntimeException AWAY = new RedisUnavailableException("Redis is away", null, null, null);

    private final LogLines log = LogLines.of("io.delayqueue");
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final Outage outage = new Outage("Redis", nanos::get);

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Test
    void firstFailureIsToldAtOnceAndTheNextThousandsAreNot() {
        for (int i = 0; i < 10_000; i++) {
            outage.failed(AWAY);
        }

        assertThat(log.lines()).containsExactly("WARN Redis: Redis is away (1 failed calls so far; trying on)");
    }

    @Test
    void reminderComesOnceAMinute() {
        for (int second = 0; second < 150; second++) {
            outage.failed(AWAY);
            pass(1);
        }

        assertThat(log.lines())
                .containsExactly(
                        "WARN Redis: Redis is away (1 failed calls so far; trying on)",
                        "WARN Redis: Redis is away (61 failed calls so far; trying on)",
                        "WARN Redis: Redis is away (121 failed calls so far; trying on)");
    }

    @Test
    void endIsToldWithTheNumberOfFailures() {
        outage.failed(AWAY);
        outage.failed(AWAY);
        outage.succeeded();
        outage.succeeded();

        assertThat(log.lines()).hasSize(2).last().isEqualTo("INFO Redis works again after 2 failed calls");
    }

    @Test
    void nextOutageIsToldAnewAndCountsFromOne() {
        outage.failed(AWAY);
        outage.succeeded();
        pass(10);
        outage.failed(AWAY);

        assertThat(log.lines())
                .hasSize(3)
                .last()
                .isEqualTo("WARN Redis: Redis is away (1 failed calls so far; trying on)");
    }

    @Test
    void outageThatComesAndGoesManyTimesASecondDoesNotFloodTheLog() {
        for (int i = 0; i < 1000; i++) {
            outage.failed(AWAY);
            outage.succeeded();
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
        }

        assertThat(log.lines()).as("10 s").hasSizeLessThanOrEqualTo(6);
    }

    @Test
    void outageThatFollowsAnotherCloselyIsToldIfItLasts() {
        outage.failed(AWAY);
        outage.succeeded();
        pass(1);
        for (int second = 0; second < 8; second++) {
            outage.failed(AWAY);
            pass(1);
        }

        assertThat(log.lines()).hasSize(3).last().asString().startsWith("WARN Redis: Redis is away");
    }

    @Test
    void strangersFailureIsShownWithItsStack() {
        var stranger = new IllegalStateException("bug");
        outage.failed(stranger);

        assertThat(log.events())
                .singleElement()
                .satisfies(event ->
                        assertThat(event.getThrowableProxy().getMessage()).isEqualTo("bug"));
    }

    private void pass(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }
}
