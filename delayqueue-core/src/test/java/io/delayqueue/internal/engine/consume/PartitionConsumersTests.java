package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.SleepyStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PartitionConsumersTests {

    private static final int PARTITIONS = 12;

    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final SuspectPermit permit = new SuspectPermit(timer);
    private final RecordingTarget target = new RecordingTarget(10, timer);
    private final ConsumerContext context =
            EngineFixtures.context(store, ConsumerOptions.defaults(), timer, DelayQueueObserver.NONE);
    private final PartitionConsumers partitions = new PartitionConsumers(
            EngineFixtures.TOPIC, partition -> new PartitionConsumer(context, partition, "me", target, permit));
    private final LogLines log = LogLines.ofEngine();

    @AfterEach
    void stop() {
        partitions.stopClaiming();
        timer.shutdownNow();
        log.close();
    }

    @Test
    void aPartitionWhoseStartFailsIsServedIsNotHealthyAndListensLater() {
        store.listenFailure = new IllegalStateException("pretended");

        partitions.consume(PARTITIONS);

        assertThat(claimed()).as("partitions that claim").isEqualTo(numbers(PARTITIONS));
        assertThat(partitions.isHealthy()).isFalse();
        assertThat(log.with("Listening to the wake-ups of topic"))
                .as("one warning each")
                .hasSize(PARTITIONS);

        store.listenFailure = null;

        Eventually.asserted(() -> assertThat(partitions.isHealthy()).isTrue());
        assertThat(numbersOf(store.calls("listen"))).isEqualTo(numbers(PARTITIONS));
    }

    @Test
    void aPartitionThatIsStoppedDoesNotListenLater() {
        store.listenFailure = new IllegalStateException("pretended");
        partitions.consume(PARTITIONS);
        partitions.stopClaiming();
        store.listenFailure = null;
        int then = store.calls("listen").size();

        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
        Eventually.asserted(() -> assertThat(System.nanoTime()).isGreaterThan(end));

        assertThat(store.calls("listen")).hasSize(then);
    }

    @Test
    void noneIsAddedAfterTheStop() {
        partitions.consume(2);
        partitions.stopClaiming();
        partitions.consume(PARTITIONS);

        assertThat(partitions.count()).isEqualTo(2);
    }

    private Set<Integer> claimed() {
        return numbersOf(store.calls("claim"));
    }

    private static Set<Integer> numbersOf(List<SleepyStore.Call> calls) {
        return calls.stream()
                .map(SleepyStore.Call::partition)
                .map(Partition::number)
                .collect(Collectors.toSet());
    }

    private static Set<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().collect(Collectors.toSet());
    }
}
