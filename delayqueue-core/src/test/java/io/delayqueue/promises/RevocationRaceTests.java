package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise 6 under load: each answer to cancel and reschedule is true, and the handler acts accordingly. */
class RevocationRaceTests {

    private static final int THREADS = 4;
    private static final int OF_EACH_AT_LEAST = 50;
    private static final int LONGEST_MICROS = 3000;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Map<String, Integer> handled = new ConcurrentHashMap<>();
    private final Map<String, Boolean> revoked = new ConcurrentHashMap<>();

    @Test
    void cancelledMessagesAreNotHandledAndAllOthersAre() throws Exception {
        raceRevocations(id -> test.queue().cancel(TestQueue.TOPIC, id) == CancelOutcome.CANCELLED);

        test.awaitDrained();
        assertEachWasEitherRevokedOrHandled();
        assertThat(test.stats().totals().cancelled()).isEqualTo(revokedCount());
        assertThat(test.stats().totals().cancelled() + handled.size())
                .isEqualTo(test.stats().totals().accepted());
    }

    @Test
    void postponedMessagesAreNotHandledAndAllOthersAre() throws Exception {
        Delay far = Delay.of(Duration.ofHours(1));
        raceRevocations(id -> test.queue().reschedule(TestQueue.TOPIC, id, far) == RescheduleOutcome.RESCHEDULED);

        TestQueue.await()
                .until(() -> test.stats().pending().ready() + test.stats().inFlight() == 0);
        assertEachWasEitherRevokedOrHandled();
        assertThat(test.stats().pending().scheduled()).isEqualTo(revokedCount());
    }

    private void assertEachWasEitherRevokedOrHandled() {
        assertThat(handled.values()).as("deliveries of a message").containsOnly(1);
        assertThat(revoked)
                .allSatisfy(
                        (id, won) -> assertThat(handled.containsKey(id)).as(id).isEqualTo(!won));
    }

    private long revokedCount() {
        return revoked.values().stream().filter(won -> won).count();
    }

    /** Revokes messages at about their due time, until revocations and handlers have both won often enough. */
    private void raceRevocations(Revocation revocation) throws Exception {
        test.consume(TestQueue.options(), (message, delivery) -> handled.merge(message.id(), 1, Integer::sum));
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            for (int round = 0; !bothHaveWonOftenEnough(); round++) {
                assertThat(round)
                        .as("rounds; revoked %s, handled %s", revokedCount(), handled.size())
                        .isLessThan(50);
                String prefix = round + "-";
                for (Future<?> done : IntStream.range(0, THREADS)
                        .mapToObj(thread -> threads.submit(() -> race(prefix + thread + "-", revocation)))
                        .toList()) {
                    done.get();
                }
            }
        } finally {
            threads.shutdown();
        }
    }

    private boolean bothHaveWonOftenEnough() {
        return revokedCount() >= OF_EACH_AT_LEAST && revoked.size() - revokedCount() >= OF_EACH_AT_LEAST;
    }

    private void race(String prefix, Revocation revocation) {
        for (int i = 0; i < 100; i++) {
            String id = prefix + i;
            ThreadLocalRandom random = ThreadLocalRandom.current();
            Duration delay = Duration.ofNanos(random.nextInt(LONGEST_MICROS) * 1000L);
            test.queue().schedule(TestQueue.message().id(id).delay(delay).build());
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(LONGEST_MICROS)));
            revoked.put(id, revocation.won(id));
        }
    }

    private interface Revocation {
        boolean won(String id);
    }
}
