package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.BulkScheduleException;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicFullException;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each message of a bulk has its own result. */
class BulkResultsTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void fullTopicTellsWhichMessagesWereScheduled() {
        DelayQueueClient limited = limited(3);
        test.schedule("there");
        List<OutgoingMessage> messages = messages("a", "there", "b", "c", "d");

        BulkScheduleException failure =
                catchThrowableOfType(BulkScheduleException.class, () -> limited.scheduleAll(messages));

        assertThat(failure.entries())
                .extracting(entry -> entry.message().id())
                .containsExactly("a", "there", "b", "c", "d");
        assertThat(failure.entries().stream()
                        .map(BulkScheduleException.Entry::result)
                        .filter(Objects::nonNull))
                .containsExactly(
                        new ScheduleResult("a", ScheduleOutcome.SCHEDULED),
                        new ScheduleResult("there", ScheduleOutcome.REJECTED_DUPLICATE, MessageState.READY),
                        new ScheduleResult("b", ScheduleOutcome.SCHEDULED));
        assertThat(failure.entries().stream()
                        .map(BulkScheduleException.Entry::error)
                        .filter(Objects::nonNull))
                .hasSize(2)
                .allSatisfy(error ->
                        assertThat(error).isInstanceOf(TopicFullException.class).hasMessageContaining("maxPending (3)"))
                .extracting(error -> error.topic() + " " + error.id())
                .containsExactly("orders c", "orders d");
        assertThat(failure.failedMessages()).containsExactly(messages.get(3), messages.get(4));
        assertThat(failure)
                .hasMessageContaining("2 of 5 messages")
                .hasCause(failure.entries().get(3).error());
    }

    @Test
    void futureFailsWithTheSameException() {
        DelayQueueClient limited = limited(1);

        assertThat(limited.scheduleAllAsync(messages("a", "b")))
                .failsWithin(25, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        BulkScheduleException.class,
                        failure -> assertThat(failure.failedMessages())
                                .extracting(OutgoingMessage::id)
                                .containsExactly("b"));
    }

    /** Its id is free again, so the whole bulk would schedule it a second time. */
    @Test
    void messageHandledMeanwhileDoesNotRunAgainWhenTheFailedOnesAreRepeated() throws Exception {
        DelayQueueClient limited = limited(20);
        List<OutgoingMessage> rest =
                messages(IntStream.range(0, 100).mapToObj(i -> "m" + i).toArray(String[]::new));
        Deliveries deliveries = new Deliveries(test);
        List<Integer> failed = new ArrayList<>();

        BulkScheduleException first =
                catchThrowableOfType(BulkScheduleException.class, () -> limited.scheduleAll(messages("x", "y")));
        assertThat(first).isNull();
        while (!rest.isEmpty()) {
            List<OutgoingMessage> bulk = rest;
            BulkScheduleException failure =
                    catchThrowableOfType(BulkScheduleException.class, () -> limited.scheduleAll(bulk));
            rest = failure == null ? List.of() : failure.failedMessages();
            failed.add(rest.size());
            if (failed.size() == 1) {
                test.consume(TestQueue.options(), deliveries);
            }
            TestQueue.await().until(() -> test.stats().pending().total() == 0);
        }

        assertThat(failed).startsWith(82).endsWith(0);
        assertThat(test.awaitDrained().totals().accepted()).isEqualTo(102);
        assertThat(deliveries.all()).hasSize(102);
    }

    private DelayQueueClient limited(long maxPending) {
        return test.open(options -> options.topic(
                TestQueue.TOPIC, TopicOptions.builder().maxPending(maxPending).build()));
    }

    private static List<OutgoingMessage> messages(String... ids) {
        return java.util.Arrays.stream(ids)
                .map(id -> TestQueue.message().id(id).build())
                .toList();
    }
}
