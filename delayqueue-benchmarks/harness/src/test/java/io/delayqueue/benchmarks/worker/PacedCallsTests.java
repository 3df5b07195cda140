package io.delayqueue.benchmarks.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmarks.peer.Outgoing;
import org.junit.jupiter.api.Test;

class PacedCallsTests {

    private static final int MESSAGES = 20;
    private static final int RUNS = 5;

    @Test
    void callsAreNotEarlierThanPlannedAndReturnAfterTheirBegin() throws Exception {
        // calls seem early if the worker is held up between its looks at two clocks; calls that are early always are
        long best = Long.MIN_VALUE;
        for (int run = 0; run < RUNS && best <= -1_000; run++) {
            Line answer = run(new MemoryPeer(0, 0));

            long[] called = Times.decode(answer.text("called"));
            long[] returned = Times.decode(answer.text("returned"));
            assertThat(called).hasSize(MESSAGES);
            long latenessOfEarliest = Long.MAX_VALUE;
            for (int n = 0; n < MESSAGES; n++) {
                latenessOfEarliest = Math.min(latenessOfEarliest, called[n] - answer.number("start") - 2_000 * n);
                assertThat(returned[n]).isGreaterThanOrEqualTo(called[n]);
            }
            best = Math.max(best, latenessOfEarliest);
        }

        assertThat(best).as("µs, but for two clocks").isGreaterThan(-1_000);
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
                    30_000);
            return new PacedCalls(peer, command).run();
        }
    }
}
