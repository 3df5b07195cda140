package io.delayqueue.internal.engine.consume;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;

/** A claim loop whose passes the test makes one by one. */
abstract class SinglePasses {

    static final int CONCURRENCY = 10;
    static final long GUARD = Duration.ofHours(1).toNanos();

    final SleepyStore store = new SleepyStore();
    final ScheduledExecutorService timer = EngineFixtures.timer();
    final RecordingTarget target = new RecordingTarget(CONCURRENCY, timer);
    final List<String> told = new ArrayList<>();
    final ClaimLoop loop = loop();

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    long runOnce() {
        return loop.runOnce().join();
    }

    ClaimLoop loop() {
        return new ClaimLoop(
                EngineFixtures.context(
                        store,
                        ConsumerOptions.builder().concurrency(CONCURRENCY).build(),
                        timer,
                        new Told()),
                EngineFixtures.PARTITION,
                "me",
                target,
                new SuspectPermit(timer));
    }

    final class Told implements DelayQueueObserver {
        @Override
        public void expired(String topic, String id) {
            told.add("expired " + id);
        }

        @Override
        public void leaseExpired(String topic, String id) {
            told.add("lease of " + id);
        }

        @Override
        public void deadLettered(String topic, String id, int attempts, String error) {
            told.add("dead " + id + " after " + attempts);
        }

        @Override
        public void orphaned(String topic, long count) {
            told.add(count + " orphans");
        }

        @Override
        public void deferredToNewerVersion(String topic, long count) {
            told.add(count + " deferred");
        }
    }
}
