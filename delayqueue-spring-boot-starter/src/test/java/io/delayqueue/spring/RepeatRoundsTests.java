package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RepeatRoundsTests {

    private final AtomicInteger refusals = new AtomicInteger();
    private final ConcurrentLinkedQueue<String> repeated = new ConcurrentLinkedQueue<>();
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, ThreadOrNone::new);

    @AfterEach
    void close() {
        timer.shutdownNow();
    }

    @Test
    void thoseForWhichNoThreadCouldBeMadeAreRepeatedWithLaterOnes() {
        RepeatRounds<String> rounds = new RepeatRounds<>(timer, repeated::addAll);
        refusals.set(1);

        rounds.add("a", Duration.ZERO);
        assertThat(refusals).as("refusals left").hasValue(0);
        timer.getQueue().clear(); // as if there had been no memory for the task either
        rounds.add("b", Duration.ofMillis(200));

        await().until(() -> repeated.containsAll(List.of("a", "b")));
        assertThat(repeated).containsExactlyInAnyOrder("a", "b");
    }

    /** Can't be started as often as is told. */
    private final class ThreadOrNone extends Thread {

        ThreadOrNone(Runnable work) {
            super(work);
        }

        @Override
        public void start() {
            if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            super.start();
        }
    }
}
