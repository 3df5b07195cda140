package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.TestQueue;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many messages in one call. */
class BatchTests {

    private static final List<String> TOPICS = List.of("a", "b", "c", "d", "e");

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void tenThousandMessagesToSeveralTopicsAreAnsweredInOrderAndDelivered() {
        List<OutgoingMessage> messages = IntStream.range(0, 10_000)
                .mapToObj(i -> OutgoingMessage.to(TOPICS.get(i % TOPICS.size()))
                        .id("m" + i)
                        .payload(TestQueue.bytes("payload " + i))
                        .build())
                .toList();

        List<ScheduleResult> results = test.queue().scheduleAll(messages);

        assertThat(results)
                .extracting(ScheduleResult::id)
                .containsExactlyElementsOf(
                        messages.stream().map(OutgoingMessage::id).toList());
        assertThat(results).extracting(ScheduleResult::outcome).containsOnly(ScheduleOutcome.SCHEDULED);
        assertThat(test.queue().topics()).containsExactlyInAnyOrderElementsOf(TOPICS);
        Map<String, TopicStats> stats = test.queue().stats(TOPICS);
        assertThat(stats).containsOnlyKeys(TOPICS);
        assertThat(stats.values())
                .allSatisfy(topic -> assertThat(topic.pending().ready()).isEqualTo(2000));
        Map<String, String> delivered = new ConcurrentHashMap<>();
        for (String topic : TOPICS) {
            test.queue()
                    .subscribe(
                            topic,
                            TestQueue.options().build(),
                            (message, delivery) ->
                                    delivered.put(message.id(), message.topic() + " " + new String(message.payload())))
                    .start();
        }
        TestQueue.await().until(() -> delivered.size() == 10_000);
        IntStream.range(0, 10_000)
                .forEach(i ->
                        assertThat(delivered).containsEntry("m" + i, TOPICS.get(i % TOPICS.size()) + " payload " + i));
    }

    @Test
    void outcomesOfAMixedBatchAreInItsOrder() {
        test.schedule("there");

        List<ScheduleResult> results = test.queue()
                .scheduleAll(List.of(
                        TestQueue.message().id("new").build(),
                        TestQueue.message().id("there").build(),
                        TestQueue.message().id("twice").build(),
                        TestQueue.message().id("twice").build(),
                        OutgoingMessage.to("other")
                                .id("there")
                                .payload(new byte[0])
                                .build()));

        assertThat(results)
                .extracting(ScheduleResult::outcome)
                .containsExactly(
                        ScheduleOutcome.SCHEDULED,
                        ScheduleOutcome.REJECTED_DUPLICATE,
                        ScheduleOutcome.SCHEDULED,
                        ScheduleOutcome.REJECTED_DUPLICATE,
                        ScheduleOutcome.SCHEDULED);
    }

    @Test
    void emptyBatchIsAnsweredWithNothing() {
        assertThat(test.queue().scheduleAll(List.of())).isEmpty();
    }
}
