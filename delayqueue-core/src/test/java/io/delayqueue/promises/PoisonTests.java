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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise 5: a message that kills its process dies alone; those that were merely in flight survive. */
@Tag("slow")
class PoisonTests {

    /** A child that stalls for a half of it loses its leases as if it had crashed. */
    private static final int LEASE_MILLIS = 2000;

    private static final int HANDLER_MILLIS = 100;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Set<String> begun = ConcurrentHashMap.newKeySet();
    private int crashes;

    @Test
    void nineNeighboursOfAPoisonSurviveAndItDiesOfItsThirdCrash() throws Exception {
        scheduleAll(TestQueue.TOPIC, Stream.concat(Stream.of("poison"), ids("m", 9)));

        runUntilDone(3, 10, TestQueue.TOPIC);

        assertThat(deadOf(TestQueue.TOPIC)).containsExactly("poison");
        assertThat(test.stats().totals().acked()).isEqualTo(9);
        assertThat(crashes).isEqualTo(3);
    }

    /** Topics and partitions share the process, and so its fate. */
    @Test
    void twoPoisonsOfSeveralTopicsDieAloneAndHealthyTrafficGoesOn() throws Exception {
        List<String> topics = List.of("one", "two", "three");
        DelayQueueClient queue = test.open(options ->
                options.topicDefaults(TopicOptions.builder().partitions(2).build()));
        for (String topic : topics) {
            queue.scheduleAll(Stream.concat(ids("m", 7), Stream.of("poison").filter(id -> !topic.equals("three")))
                    .map(id -> message(topic, id))
                    .toList());
            // due all the while
            queue.scheduleAll(IntStream.range(0, 20)
                    .mapToObj(i -> OutgoingMessage.to(topic)
                            .id("later" + i)
                            .payload(TestQueue.bytes("payload"))
                            .delay(Duration.ofMillis(200L * i))
                            .build())
                    .toList());
        }

        runUntilDone(3, 10, topics.toArray(String[]::new));

        assertThat(deadOf("one")).containsExactly("poison");
        assertThat(deadOf("two")).containsExactly("poison");
        assertThat(deadOf("three")).isEmpty();
        assertThat(topics)
                .allSatisfy(
                        topic -> assertThat(queue.stats(topic).totals().acked()).isEqualTo(27));
        // both in flight at their first two crashes; or each alone, and repeated twice beside others
        assertThat(crashes).isBetween(4, 10);
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
