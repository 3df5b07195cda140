package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.SleepyStore;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** A claim loop that runs, on a store of the test. */
abstract class RunningLoop {

    static final int CONCURRENCY = 10;

    /** No other test logs under this name. */
    final String subject = "test-" + UUID.randomUUID();

    final Partition partition = Partition.only(subject);

    final SleepyStore store = new SleepyStore();
    final ScheduledExecutorService timer = EngineFixtures.timer();
    final RecordingTarget target = new RecordingTarget(CONCURRENCY, timer);
    final ConsumerContext context = EngineFixtures.context(
            store, ConsumerOptions.builder().concurrency(CONCURRENCY).build(), timer, DelayQueueObserver.NONE, subject);
    final ClaimLoop loop = new ClaimLoop(context, partition, "me", target, new SuspectPermit(timer));
    final LogLines log = LogLines.ofEngine();

    @AfterEach
    void stopLoop() throws InterruptedException {
        store.wakeUp();
        loop.stop();
        timer.shutdownNow();
        boolean ended = timer.awaitTermination(25, TimeUnit.SECONDS);
        log.close();
        assertThat(ended).as("a late pass logs nothing into another test").isTrue();
    }

    /** Lines of this test's loops. */
    List<String> lines() {
        return log.with(subject);
    }

    int claims() {
        return store.calls("claim").size();
    }
}
