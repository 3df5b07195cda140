package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A bulk keeps neither single calls nor other bulks waiting, and has the time that it needs. */
class BulkFairnessTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void singleCallsPassABulk() throws Exception {
        CompletableFuture<List<ScheduleResult>> bulk = test.queue().scheduleAllAsync(messages("bulk", 60_000));

        int passed = 0;
        for (int i = 0; i < 20; i++) {
            assertThat(test.queue().schedule(message("single-" + i)).outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
            passed += bulk.isDone() ? 0 : 1;
        }

        assertThat(passed).as("single calls answered before the bulk").isEqualTo(20);
        assertThat(bulk.get(60, TimeUnit.SECONDS)).hasSize(60_000);
    }

    @Test
    void bulkPassesALargerOneThatCameBefore() throws Exception {
        CompletableFuture<List<ScheduleResult>> large = test.queue().scheduleAllAsync(messages("large", 60_000));
        CompletableFuture<List<ScheduleResult>> small = test.queue().scheduleAllAsync(messages("small", 5_000));

        assertThat(small.get(60, TimeUnit.SECONDS)).hasSize(5_000);

        assertThat(large).isNotDone();
        assertThat(large.get(60, TimeUnit.SECONDS)).hasSize(60_000);
    }

    @Test
    void manySingleCallsDontStopABulk() throws Exception {
        CompletableFuture<List<ScheduleResult>> bulk = test.queue().scheduleAllAsync(messages("bulk", 5_000));
        List<CompletableFuture<ScheduleResult>> singles = messages("single", 40_000).stream()
                .map(test.queue()::scheduleAsync)
                .toList();

        assertThat(bulk.get(60, TimeUnit.SECONDS)).hasSize(5_000);

        assertThat(singles).last().satisfies(last -> assertThat(last).isNotDone());
        CompletableFuture.allOf(singles.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    }

    private static List<OutgoingMessage> messages(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> message(name + "-" + i)).toList();
    }

    private static OutgoingMessage message(String id) {
        return TestQueue.message().id(id).delay(Duration.ofHours(1)).build();
    }
}
