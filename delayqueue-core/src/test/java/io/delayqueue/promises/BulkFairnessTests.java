package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A bulk keeps neither single calls nor other bulks waiting, and has the time that it needs. */
class BulkFairnessTests {

    /** Far longer than the batches take that a call waits for; far shorter than a call may take. */
    private static final Duration LONGEST_SINGLE_CALL = Duration.ofSeconds(2);

    /** Calls that may take longer, as the machine stalls; a call that has to wait for a bulk is one of many that do. */
    private static final int STALLED_CALLS = 2;

    /** A machine that stops the caller alone lets most of a bulk pass. */
    private static final int MOST_ROUNDS = 3;

    /** More than one batch holds. */
    private static final int CALLERS = 2_000;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void singleCallsPassABulk() throws Exception {
        List<Duration> passed;
        int round = 0;
        do {
            passed = callBesideABulk("round" + round);
        } while (passed.size() <= 10 && ++round < MOST_ROUNDS);

        // a single call that waited for the bulk would be the only one
        assertThat(passed).as("single calls while the bulk was under way").hasSizeGreaterThan(10);
        assertThat(passed.get(passed.size() - 1 - STALLED_CALLS))
                .as("longest single calls but %s", STALLED_CALLS)
                .isLessThan(LONGEST_SINGLE_CALL);
    }

    /** Returns how long the calls took that were made while the bulk was under way, in ascending order. */
    private List<Duration> callBesideABulk(String name) throws Exception {
        List<Duration> passed = new ArrayList<>();
        CompletableFuture<List<ScheduleResult>> bulk = test.queue().scheduleAllAsync(messages(name, 60_000));
        while (!bulk.isDone()) {
            OutgoingMessage single = message(name + "-single-" + passed.size());
            long begun = System.nanoTime();
            assertThat(test.queue().schedule(single).outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
            passed.add(Duration.ofNanos(System.nanoTime() - begun));
        }
        assertThat(bulk.get(60, TimeUnit.SECONDS)).hasSize(60_000);
        passed.sort(Duration::compareTo);
        return passed;
    }

    @Test
    void bulkPassesALargerOneThatCameBefore() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        // made before the large one begins, which may end while a machine stops this thread
        List<OutgoingMessage> few = messages("small", 5_000);
        CompletableFuture<List<ScheduleResult>> large = test.queue().scheduleAllAsync(messages("large", 60_000));
        CompletableFuture<List<ScheduleResult>> small = test.queue().scheduleAllAsync(few);
        CompletableFuture<Void> smallEnded = small.thenRun(() -> order.add("small"));
        CompletableFuture<Void> largeEnded = large.thenRun(() -> order.add("large"));

        CompletableFuture.allOf(largeEnded, smallEnded).get(60, TimeUnit.SECONDS);

        assertThat(order).containsExactly("small", "large");
        assertThat(small.join()).hasSize(5_000);
        assertThat(large.join()).hasSize(60_000);
    }

    @Test
    void singleCallsThatNeverEndDontStopABulk() throws Exception {
        AtomicBoolean bulkEnded = new AtomicBoolean();
        AtomicInteger calls = new AtomicInteger();
        List<CompletableFuture<Void>> callers = IntStream.range(0, CALLERS)
                .mapToObj(i -> callUntil(bulkEnded, calls))
                .toList();
        try {
            // each has called again, on average
            TestQueue.await().until(() -> calls.get() > 2 * CALLERS);

            CompletableFuture<List<ScheduleResult>> bulk = test.queue().scheduleAllAsync(messages("bulk", 5_000));

            assertThat(bulk.get(60, TimeUnit.SECONDS)).hasSize(5_000);
            assertThat(callers).as("callers beside the bulk").noneMatch(CompletableFuture::isDone);
        } finally {
            bulkEnded.set(true);
        }
        CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    }

    /** Schedules a message as soon as the one before is scheduled. */
    private CompletableFuture<Void> callUntil(AtomicBoolean end, AtomicInteger calls) {
        return test.queue()
                .scheduleAsync(message("single-" + calls.incrementAndGet()))
                .thenCompose(result -> end.get() ? CompletableFuture.completedFuture(null) : callUntil(end, calls));
    }

    private static List<OutgoingMessage> messages(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> message(name + "-" + i)).toList();
    }

    private static OutgoingMessage message(String id) {
        return TestQueue.message().id(id).delay(Duration.ofHours(1)).build();
    }
}
