package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetters;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.TestQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dead letters of large bodies come in shorter pages, and none is missed. */
class LargeDeadLettersTests {

    private static final int COUNT = 40;
    /** So that each partition has more than the 4 MiB of a step. */
    private static final int LARGE = 500 * 1024;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void pagesHaveEachOnce(int partitions) {
        DelayQueueClient queue = test.open(options -> options.topic(
                TestQueue.TOPIC, TopicOptions.builder().partitions(partitions).build()));
        for (int i = 0; i < COUNT; i++) {
            queue.schedule(TestQueue.message()
                    .id(String.valueOf(i))
                    .payload(new byte[LARGE])
                    .build());
        }
        try (LogLines warningsOfDeadLetters = LogLines.ofEngine()) {
            TestQueue.consume(queue, TestQueue.options().maxAttempts(1).concurrency(4), (message, delivery) -> {
                throw new IllegalStateException("no");
            });
            TestQueue.await().until(() -> queue.stats(TestQueue.TOPIC).dead() == COUNT);
        }

        DeadLetters dead = queue.deadLetters(TestQueue.TOPIC);
        List<String> seen = new ArrayList<>();
        for (List<DeadLetter> page = dead.list(0, 100); !page.isEmpty(); page = dead.list(seen.size(), 100)) {
            assertThat(page).hasSizeBetween(1, 8 * partitions);
            page.forEach(letter -> seen.add(letter.id()));
        }

        assertThat(new HashSet<>(seen))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, COUNT).mapToObj(String::valueOf).toList());
        assertThat(seen).hasSize(COUNT);
        assertThat(dead.listKeys(0, 100))
                .as("ids alone have no size")
                .extracting(DeadLetters.Key::id)
                .containsExactlyElementsOf(seen);
        assertThat(dead.listKeys(COUNT - 3, 100))
                .extracting(DeadLetters.Key::id)
                .containsExactlyElementsOf(seen.subList(COUNT - 3, COUNT));
        assertThat(dead.listKeys(COUNT, 100)).isEmpty();
    }
}
