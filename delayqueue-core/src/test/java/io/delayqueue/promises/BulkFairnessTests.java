package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
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

    /** More than one batch holds. */
    private static final int CALLERS = 2_000;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void singleCallsPassABulk() throws Exception {
        CompletableFuture<List<ScheduleResult>> bulk = test.queue().scheduleAllAsync(messages("bulk", 60_000));

        int passed = 0;
        Duration longest = Duration.ZERO;
        while (!bulk.isDone()) {
            long begun = System.nanoTime();
            assertThat(test.queue().schedule(message("single-" + passed)).outcome())
                    .isEqualTo(ScheduleOutcome.SCHEDULED);
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            longest = took.compareTo(longest) > 0 ? took : longest;
            passed++;
        }

        // a single call that waited for the bulk would be the only one
        assertThat(passed).as("single calls while the bulk was under way").isGreaterThan(10);
        assertThat(longest).as("longest single call").isLessThan(LONGEST_SINGLE_CALL);
        assertThat(bulk.get(60, TimeUnit.SECONDS)).hasSize(60_000);
    }

    @Test
    void bulkPassesALargerOneThatCameBefore() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        CompletableFuture<List<ScheduleResult>> large = test.queue().scheduleAllAsync(messages("large", 60_000));
        CompletableFuture<Void> largeEnded = large.thenRun(() -> order.add("large"));
        CompletableFuture<List<ScheduleResult>> small = test.queue().scheduleAllAsync(messages("small", 5_000));
        CompletableFuture<Void> smallEnded = small.thenRun(() -> order.add("small"));

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

        CompletableFuture<List<ScheduleResult>> bulk = test.queue().scheduleAllAsync(messages("bulk", 5_000));

        try {
            assertThat(bulk.get(60, TimeUnit.SECONDS)).hasSize(5_000);
            assertThat(callers).as("callers beside the bulk").noneMatch(CompletableFuture::isDone);
        } finally {
            bulkEnded.set(true);
        }
        CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        assertThat(calls).hasValueGreaterThan(2 * CALLERS);
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
