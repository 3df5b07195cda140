package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** 20,000 messages due in one instant. */
class BurstTests {

    private static final int MESSAGES = 20_000;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void twentyThousandMessagesDueInOneMillisecondAreHandledOnceEachAndLeaveNothingBehind() {
        Map<String, Integer> handled = new ConcurrentHashMap<>();
        Instant due = test.now().plusMillis(500);
        List<OutgoingMessage> messages = IntStream.range(0, MESSAGES)
                .mapToObj(i -> TestQueue.message().id("m" + i).dueAt(due).build())
                .toList();
        test.queue().scheduleAll(messages);
        test.awaitTime(due);
        assertThat(test.stats().pending().ready()).isEqualTo(MESSAGES);

        test.consume(
                TestQueue.options().concurrency(64),
                (message, delivery) -> handled.merge(message.id(), 1, Integer::sum));

        TestQueue.await().atMost(Duration.ofSeconds(50)).until(() -> handled.size() == MESSAGES);
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(MESSAGES);
        assertThat(handled.values()).containsOnly(1);
    }
}
