package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DeadLetter;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.ChildJvm;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise 5: a message that kills its process dies alone; those that were merely in hand survive. */
class PoisonTests {

    private static final int LEASE_MILLIS = 1000;
    private static final int HANDLER_MILLIS = 100;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Set<String> begun = ConcurrentHashMap.newKeySet();
    private int crashes;

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void nineNeighboursOfAPoisonSurviveAndItDiesOfItsLastAttempt(int maxAttempts) throws Exception {
        scheduleAll(TestQueue.TOPIC, Stream.concat(Stream.of("poison"), ids("m", 9)));

        runUntilDone(maxAttempts, 10, TestQueue.TOPIC);

        assertThat(deadOf(TestQueue.TOPIC)).containsExactly("poison");
        assertThat(test.stats().totals().acked()).isEqualTo(9);
        assertThat(crashes).isEqualTo(maxAttempts);
    }

    @Test
    void twoPoisonsAmongTwentyDieAlone() throws Exception {
        scheduleAll(
                TestQueue.TOPIC,
                Stream.of(Stream.of("poison1"), ids("a", 9), Stream.of("poison2"), ids("b", 9))
                        .flatMap(all -> all));

        runUntilDone(3, 10, TestQueue.TOPIC);

        assertThat(deadOf(TestQueue.TOPIC)).containsExactlyInAnyOrder("poison1", "poison2");
        assertThat(test.stats().totals().acked()).isEqualTo(18);
        assertThat(crashes).as("two more for each, if it was not alone").isBetween(6, 10);
    }

    /** They share the process, and so its fate. */
    @Test
    void neighboursInOtherTopicsAndPartitionsSurvive() throws Exception {
        List<String> topics = List.of("one", "two", "three");
        DelayQueueClient queue = test.open(PoisonTests::threePartitions);
        topics.forEach(topic -> queue.subscribe(topic, TestQueue.options().build(), (message, delivery) -> {}));
        for (String topic : topics) {
            queue.scheduleAll(Stream.concat(ids(topic, 6), Stream.of("poison").filter(id -> topic.equals("two")))
                    .map(id -> message(topic, id))
                    .toList());
        }

        runUntilDone(3, 10, topics.toArray(String[]::new));

        assertThat(deadOf("two")).containsExactly("poison");
        assertThat(deadOf("one")).isEmpty();
        assertThat(deadOf("three")).isEmpty();
        assertThat(topics.stream()
                        .mapToLong(topic -> queue.stats(topic).totals().acked()))
                .containsExactly(6L, 6L, 6L);
        assertThat(crashes).isBetween(3, 5);
    }

    private static DelayQueueOptions.Builder threePartitions(DelayQueueOptions.Builder options) {
        return options.topicDefaults(TopicOptions.builder().partitions(3).build());
    }

    @Test
    void ofMessagesWithOneAttemptOnlyThoseDieThatAHandlerHadBegun() throws Exception {
        scheduleAll(TestQueue.TOPIC, Stream.concat(Stream.of("poison"), ids("m", 9)));

        runUntilDone(1, 2, TestQueue.TOPIC);

        assertThat(crashes).isEqualTo(1);
        assertThat(deadOf(TestQueue.TOPIC)).contains("poison").hasSizeLessThanOrEqualTo(2);
        assertThat(begun).containsAll(deadOf(TestQueue.TOPIC));
        assertThat(test.stats().totals().acked())
                .isEqualTo(10 - deadOf(TestQueue.TOPIC).size());
    }

    @Test
    void aPoisonDoesNotStopHealthyTraffic() throws Exception {
        scheduleAll(TestQueue.TOPIC, Stream.of("poison"));
        // due all the while
        for (int i = 0; i < 60; i++) {
            test.queue()
                    .schedule(TestQueue.message()
                            .id("m" + i)
                            .delay(Duration.ofMillis(100L * i))
                            .build());
        }

        runUntilDone(3, 4, TestQueue.TOPIC);

        assertThat(deadOf(TestQueue.TOPIC)).containsExactly("poison");
        assertThat(test.stats().totals().acked()).isEqualTo(60);
        assertThat(crashes).isBetween(3, 5);
    }

    private void runUntilDone(int maxAttempts, int concurrency, String... topics) throws InterruptedException {
        List<Object> arguments =
                new ArrayList<>(List.of(test.uri(), LEASE_MILLIS, maxAttempts, concurrency, HANDLER_MILLIS));
        arguments.addAll(List.of(topics));
        while (!isDone(topics)) {
            try (ChildJvm child = ChildJvm.running(PoisonProgram.class)
                    .arguments(arguments.toArray())
                    .onLine(line -> begun.add(line.replace("begun ", "")))
                    .start()) {
                TestQueue.await().until(() -> !child.isAlive() || isDone(topics));
                crashes += child.isAlive() ? 0 : 1;
            }
        }
    }

    private boolean isDone(String... topics) {
        return Stream.of(topics).allMatch(topic -> {
            TopicStats stats = test.queue().stats(topic);
            return stats.pending().total() + stats.inFlight() == 0;
        });
    }

    private void scheduleAll(String topic, Stream<String> ids) {
        test.queue().scheduleAll(ids.map(id -> message(topic, id)).toList());
    }

    private static OutgoingMessage message(String topic, String id) {
        return OutgoingMessage.to(topic)
                .id(id)
                .payload(TestQueue.bytes("payload"))
                .build();
    }

    private static Stream<String> ids(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i);
    }

    private List<String> deadOf(String topic) {
        return test.queue().deadLetters(topic).list(0, 100).stream()
                .map(DeadLetter::id)
                .toList();
    }
}
