package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise 2: never early, not by a microsecond of Redis' own clock. */
class NeverEarlyTests {

    private static final int THREADS = 4;
    private static final int MESSAGES_PER_THREAD = 150;
    private static final int LONGEST_DELAY_MICROS = 400_000;
    private static final int MOST_ROUNDS = 10;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Map<String, Instant> earliest = new ConcurrentHashMap<>();
    private final Map<String, Instant> latest = new ConcurrentHashMap<>();

    @Test
    void handlerIsNotEnteredBeforeItsDelayIsOver() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        test.consume(TestQueue.options().concurrency(20), deliveries);

        fromManyThreads((id, random) -> {
            Duration delay = Duration.ofNanos(random.nextInt(LONGEST_DELAY_MICROS * 1000));
            earliest.put(id, test.now().plus(delay));
            test.queue().schedule(TestQueue.message().id(id).delay(delay).build());
            latest.put(id, test.now().plus(delay).plusNanos(1000));
        });

        test.awaitDrained();
        assertThat(deliveries.all()).hasSize(THREADS * MESSAGES_PER_THREAD).allSatisfy(entry -> {
            assertThat(entry.at()).isAfterOrEqualTo(entry.message().due());
            assertThat(entry.message().due()).isBetween(earliest.get(entry.id()), latest.get(entry.id()));
        });
    }

    @Test
    void handlerIsNotEnteredBeforeItsInstant() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        test.consume(TestQueue.options().concurrency(20), deliveries);

        fromManyThreads((id, random) -> {
            Instant due = test.now().plusNanos(random.nextInt(LONGEST_DELAY_MICROS * 1000));
            earliest.put(id, due);
            test.queue().schedule(TestQueue.message().id(id).dueAt(due).build());
        });

        test.awaitDrained();
        assertThat(deliveries.all())
                .hasSize(THREADS * MESSAGES_PER_THREAD)
                .allSatisfy(entry -> assertThat(entry.at()).isAfterOrEqualTo(earliest.get(entry.id())));
    }

    @Test
    void rescheduledMessageIsNotHandledAtItsFormerTime() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        test.consume(TestQueue.options(), deliveries);
        Duration postponed = Duration.ofMillis(LONGEST_DELAY_MICROS / 1000);

        // too late if the machine stalls between the two calls: then another message is postponed
        String id;
        Instant notBefore;
        RescheduleOutcome outcome;
        int round = 0;
        do {
            id = "postponed" + round++;
            test.queue()
                    .schedule(TestQueue.message()
                            .id(id)
                            .delay(Duration.ofMillis(200))
                            .build());
            notBefore = test.now().plus(postponed);
            outcome = test.queue().reschedule(TestQueue.TOPIC, id, Delay.of(postponed));
        } while (outcome != RescheduleOutcome.RESCHEDULED && round < MOST_ROUNDS);

        assertThat(outcome).isEqualTo(RescheduleOutcome.RESCHEDULED);
        Deliveries.Entry entry = deliveries.nextOnTime();
        while (!entry.id().equals(id)) {
            entry = deliveries.nextOnTime();
        }
        assertThat(entry.message().due()).isAfterOrEqualTo(notBefore);
        assertThat(entry.at()).isAfterOrEqualTo(entry.message().due());
        test.awaitDrained();
    }

    private void fromManyThreads(Scheduling scheduling) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            for (Future<?> done : IntStream.range(0, THREADS)
                    .mapToObj(thread -> threads.submit(() -> {
                        Random random = new Random(thread);
                        for (int i = 0; i < MESSAGES_PER_THREAD; i++) {
                            scheduling.schedule(thread + "-" + i, random);
                        }
                    }))
                    .toList()) {
                done.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    private interface Scheduling {
        void schedule(String id, Random random);
    }
}
