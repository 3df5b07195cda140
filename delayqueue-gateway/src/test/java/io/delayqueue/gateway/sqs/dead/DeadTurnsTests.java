package io.delayqueue.gateway.sqs.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Looks at one queue take one thread, however many wait, and a look that finds nothing answers those that waited for it. */
class DeadTurnsTests {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final int LOOKS = 20;

    private final DeadTimer timer = new DeadTimer("dead-turns-test");
    private final DeadTurns turns = new DeadTurns(timer);
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger looking = new AtomicInteger();
    private final AtomicInteger mostLooking = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger inVain = new AtomicInteger();

    @AfterEach
    void stop() {
        go.countDown();
        timer.destroy();
    }

    private DeadTurns.Look look(boolean finds) {
        return new DeadTurns.Look() {
            @Override
            public boolean look() {
                mostLooking.accumulateAndGet(looking.incrementAndGet(), Math::max);
                try {
                    assertThat(go.await(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    looking.decrementAndGet();
                }
                looks.incrementAndGet();
                return finds;
            }

            @Override
            public void nothing(Duration took) {
                inVain.incrementAndGet();
            }
        };
    }

    /** The first look is under way before the others wait. */
    private void begin(boolean finds) {
        assertThat(turns.after(Duration.ZERO, "slow", look(finds))).isTrue();
        await().atMost(WAIT).until(() -> looking.get() > 0);
        for (int i = 1; i < LOOKS; i++) {
            assertThat(turns.after(Duration.ZERO, "slow", look(finds))).isTrue();
        }
    }

    @Test
    void slowQueueLeavesThreadsToOthers() throws Exception {
        begin(true);
        CountDownLatch other = new CountDownLatch(1);
        turns.after(Duration.ZERO, "other", new DeadTurns.Look() {
            @Override
            public boolean look() {
                other.countDown();
                return true;
            }

            @Override
            public void nothing(Duration took) {}
        });
        assertThat(other.await(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        go.countDown();
        await().atMost(WAIT).until(() -> looks.get() == LOOKS);
        assertThat(mostLooking).hasValue(1);
        assertThat(inVain).hasValue(0);
    }

    @Test
    void lookThatFindsNothingAnswersThoseThatWaitedForIt() {
        begin(false);
        go.countDown();
        await().atMost(WAIT).until(() -> inVain.get() == LOOKS);
        // the first look began too early to answer the others
        List<Integer> counted = new ArrayList<>(List.of(looks.get()));
        assertThat(counted.get(0)).isBetween(2, LOOKS);
        assertThat(mostLooking).hasValue(1);
        // a queue at which no look is under way is looked at again
        turns.after(Duration.ZERO, "slow", look(true));
        await().atMost(WAIT).until(() -> looks.get() == counted.get(0) + 1);
    }
}
