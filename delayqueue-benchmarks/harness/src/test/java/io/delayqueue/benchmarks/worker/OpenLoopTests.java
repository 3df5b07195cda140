package io.delayqueue.benchmarks.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class OpenLoopTests {

    private static final int MESSAGES = 40;

    @Test
    void lateMessagesAreAsLateAsTheyWere() throws Exception {
        Line answer = run(new MemoryPeer(2_000, 0));

        assertThat(answer.number("early")).isZero();
        assertThat(answer.number("missing")).isZero();
        Histogram late = Histograms.decode(answer.text("late"));
        assertThat(late.getTotalCount()).isEqualTo(MESSAGES);
        assertThat(late.getMinValue())
                .as("µs, but for the schedule call itself")
                .isGreaterThan(1_000_000);
        assertThat(Histograms.decode(answer.text("lateSinceReturn")).getMinValue())
                .isBetween(1_000_000L, late.getMaxValue());
        assertThat(Histograms.decode(answer.text("lateSinceCall")).getMaxValue())
                .isGreaterThanOrEqualTo(
                        Histograms.decode(answer.text("lateSinceReturn")).getMaxValue());
    }

    @Test
    void earlyMessagesAreCounted() throws Exception {
        Line answer = run(new MemoryPeer(-150, 0));

        assertThat(answer.number("early")).isPositive();
    }

    @Test
    void lostMessagesCountAsLateAsTheyWereAtTheEnd() throws Exception {
        Line answer = run(new MemoryPeer(0, 3));

        assertThat(answer.number("missing")).isEqualTo(3);
        assertThat(Histograms.decode(answer.text("late")).getMaxValue()).isGreaterThan(1_000_000);
    }

    private static Line run(MemoryPeer peer) throws Exception {
        try (peer) {
            Line command = Line.of(
                    "openloop",
                    "topic",
                    "orders",
                    "payload",
                    100,
                    "concurrency",
                    1,
                    "delay",
                    200,
                    "period",
                    1_000_000,
                    "warmup",
                    0,
                    "count",
                    MESSAGES,
                    "patience",
                    3_000);
            return new OpenLoop(peer, command).run();
        }
    }
}
