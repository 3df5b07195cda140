package io.delayqueue.internal.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.Gate;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which settlements go before the next claim. */
class UrgentLeasesTests {

    private static final Duration OVER = Duration.ofSeconds(-3);

    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final Settlements settlements = EngineFixtures.settlements(store, timer);

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    @Test
    void noLookIsWorthItWhileLeasesAreLong() {
        store.be(Mood.SILENT);
        messages(500, EngineFixtures.LEASE).forEach(message -> settlements.settle(new Settlement.Ack(message)));

        assertThat(settlements.mayHaveUrgentLease(0)).isFalse();
        assertThat(settlements.searchUrgentLease(0)).isFalse();
    }

    @Test
    void settlementsThatWaitForRedisGoFirstOnceTheirLeasesAreAboutToEnd() {
        Gate gate = new Gate();
        store.be(gate);
        List<CompletableFuture<Boolean>> answers = Stream.concat(
                        messages(10, Duration.ofSeconds(7)).stream(), messages(500, OVER).stream())
                .map(message -> settlements.settle(new Settlement.Ack(message)))
                .toList();
        Eventually.asserted(() -> assertThat(store.calls("ack")).isNotEmpty());
        assertThat(settlements.mayHaveUrgentLease(0)).isTrue();
        assertThat(settlements.searchUrgentLease(0)).isTrue();

        Eventually.asserted(() -> {
            gate.open();
            assertThat(answers).allMatch(CompletableFuture::isDone);
        });

        assertThat(settlements.searchUrgentLease(0)).isFalse();
        assertThat(settlements.mayHaveUrgentLease(0)).as("a look was taken").isFalse();
    }

    @Test
    void renewalsThatWaitForRedisGoFirst() {
        Gate gate = new Gate();
        store.be(gate);
        messages(20, OVER);
        assertThat(settlements.searchUrgentLease(0))
                .as("nothing waits for Redis")
                .isFalse();
        messages(20, OVER);
        new LeaseKeeper(settlements, EngineFixtures.LEASE).run();
        assertThat(settlements.searchUrgentLease(0)).isTrue();

        Eventually.asserted(() -> {
            gate.open();
            assertThat(settlements.searchUrgentLease(0)).isFalse();
        });
    }

    @Test
    void settlementsThatRedisRefusesDoNotHoldClaimsUpForEver() {
        store.be(Mood.failing(new RedisAccessDeniedException("no zrem", null, null, null)));
        messages(20, OVER).forEach(message -> settlements.settle(new Settlement.Ack(message)));

        Eventually.asserted(() -> assertThat(store.calls("ack")).isNotEmpty());
        Eventually.asserted(() -> assertThat(settlements.searchUrgentLease(0)).isFalse());
        assertThat(settlements.inFlight()).hasSize(20);
    }

    @Test
    void settlementsThatAreNotAnsweredHoldClaimsUp() {
        store.fallAsleep();
        messages(20, OVER).forEach(message -> settlements.settle(new Settlement.Ack(message)));
        Eventually.asserted(() -> assertThat(store.calls("ack").size()).isGreaterThan(1));

        assertThat(settlements.searchUrgentLease(0)).isTrue();
        store.wakeUp();
        Eventually.asserted(() -> assertThat(settlements.searchUrgentLease(0)).isFalse());
    }

    @Test
    void aLeaseThatIsKnownToBeLostHoldsNothingUp() {
        store.held = lease -> false;
        List<InFlightMessage> lost = messages(20, OVER);
        new LeaseKeeper(settlements, EngineFixtures.LEASE).run();
        store.be(Mood.SILENT);
        lost.forEach(message -> settlements.settle(new Settlement.Ack(message)));

        assertThat(settlements.searchUrgentLease(0)).isFalse();
    }

    @Test
    void eachPartitionWaitsForItsOwn() {
        settlements.addPartition(new Partition(EngineFixtures.TOPIC, 1, 2));
        store.be(Mood.SILENT);
        messages(20, OVER).forEach(message -> settlements.settle(new Settlement.Ack(message)));

        assertThat(settlements.searchUrgentLease(0)).isTrue();
        assertThat(settlements.searchUrgentLease(1)).isFalse();
    }

    private List<InFlightMessage> messages(int count, Duration leaseLeft) {
        List<InFlightMessage> messages = IntStream.range(0, count)
                .mapToObj(i -> EngineFixtures.inFlight(leaseLeft + " " + i, leaseLeft))
                .toList();
        messages.forEach(settlements::add);
        return messages;
    }
}
