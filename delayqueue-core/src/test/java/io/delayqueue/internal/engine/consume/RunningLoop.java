package io.delayqueue.internal.engine.consume;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.SleepyStore;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;

/** A claim loop that runs, on a store of the test. */
abstract class RunningLoop {

    static final int CONCURRENCY = 10;

    final SleepyStore store = new SleepyStore();
    final ScheduledExecutorService timer = EngineFixtures.timer();
    final RecordingTarget target = new RecordingTarget(CONCURRENCY);
    final ConsumerContext context = EngineFixtures.context(
            store, ConsumerOptions.builder().concurrency(CONCURRENCY).build(), timer, DelayQueueObserver.NONE);
    final ClaimLoop loop = new ClaimLoop(context, EngineFixtures.PARTITION, "me", target, new SuspectPermit(timer));
    final LogLines log = LogLines.ofEngine();

    @AfterEach
    void stopLoop() {
        store.wakeUp();
        loop.stop();
        timer.shutdownNow();
        log.close();
    }

    int claims() {
        return store.calls("claim").size();
    }
}
