package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Among due messages the higher priority comes first, within a priority the earlier due time. */
class PriorityTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void dueMessagesAreHandledByPriorityThenByDueTime() {
        Instant past = test.now().minusSeconds(3600);
        List<OutgoingMessage> messages = new ArrayList<>(IntStream.range(0, 200)
                .mapToObj(i -> TestQueue.message()
                        .id("p" + i % 10 + "-" + i)
                        .priority(i % 10)
                        .dueAt(past.plusSeconds(i * 7919 % 200))
                        .build())
                .toList());
        Collections.shuffle(messages);
        test.queue().scheduleAll(messages);
        Deliveries deliveries = new Deliveries(test);

        test.consume(TestQueue.options().concurrency(1), deliveries);

        test.awaitDrained();
        assertThat(deliveries.all())
                .extracting(Deliveries.Entry::message)
                .hasSize(200)
                .isSortedAccordingTo(Comparator.comparing(io.delayqueue.ReceivedMessage::priority)
                        .reversed()
                        .thenComparing(io.delayqueue.ReceivedMessage::due));
    }

    @Test
    void highPriorityDoesNotMakeAMessageDueEarlier() throws Exception {
        test.queue()
                .schedule(TestQueue.message()
                        .id("high")
                        .priority(9)
                        .delay(Duration.ofMillis(300))
                        .build());
        Instant notBefore = test.now();
        test.queue().schedule(TestQueue.message().id("low").priority(0).build());
        Deliveries deliveries = new Deliveries(test);

        test.consume(TestQueue.options().concurrency(1), deliveries);

        test.awaitDrained();
        assertThat(deliveries.all())
                .allSatisfy(entry ->
                        assertThat(entry.at()).isAfterOrEqualTo(entry.message().due()));
        assertThat(deliveries.ids()).containsExactlyInAnyOrder("low", "high");
        assertThat(notBefore).isBefore(deliveries.all().get(1).at());
    }
}
