package io.delayqueue.benchmarks.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmarks.peer.Outgoing;
import org.junit.jupiter.api.Test;

class PacedCallsTests {

    private static final int MESSAGES = 20;

    @Test
    void callsAreNotEarlierThanPlannedAndReturnAfterTheirBegin() throws Exception {
        Line answer = run(new MemoryPeer(0, 0));

        long[] called = Times.decode(answer.text("called"));
        long[] returned = Times.decode(answer.text("returned"));
        assertThat(called).hasSize(MESSAGES);
        for (int n = 0; n < MESSAGES; n++) {
            assertThat(called[n]).as("but for two clocks").isGreaterThan(answer.number("start") + 2_000 * n - 1_000);
            assertThat(returned[n]).isGreaterThanOrEqualTo(called[n]);
        }
    }

    @Test
    void aFailedCallHasNoReturn() throws Exception {
        Line answer = run(new MemoryPeer(0, 0) {
            @Override
            public void schedule(Outgoing message) {
                throw new IllegalStateException("refused");
            }
        });

        assertThat(Times.decode(answer.text("returned"))).containsOnly(0);
    }

    private static Line run(MemoryPeer peer) throws Exception {
        try (peer) {
            Line command = Line.of(
                    "paced",
                    "topic",
                    "orders",
                    "first",
                    100,
                    "count",
                    MESSAGES,
                    "payload",
                    100,
                    "delay",
                    200,
                    "period",
                    2_000_000,
                    "patience",
                    3_000);
            return new PacedCalls(peer, command).run();
        }
    }
}
