package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.delayqueue.DeadLetters;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages.Position;
import io.delayqueue.RedriveOptions;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dead letters are redriven at once, after a delay, or at a rate. */
class RedriveTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void allAreDueOneAfterTheOtherEvenInManySteps(int partitions) {
        DelayQueueClient queue = open(partitions);
        deadLetters(queue, 1_300);
        Instant before = test.now();

        long count = queue.deadLetters(TestQueue.TOPIC)
                .redriveAll(
                        RedriveOptions.builder().delay(HOUR).ratePerSecond(20).build());

        Instant after = test.now();
        assertThat(count).isEqualTo(1_300);
        List<Instant> dues = dues(queue);
        assertThat(dues).hasSize(1_300);
        assertThat(dues.get(0)).isBetween(before.plus(HOUR), after.plus(HOUR));
        for (int i = 1; i < dues.size(); i++) {
            assertThat(Duration.between(dues.get(i - 1), dues.get(i)))
                    .as("between %d and %d", i - 1, i)
                    .isBetween(Duration.ofNanos(49_999_000), Duration.ofNanos(50_001_000));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void stepsUpToATimeEndWithThoseThatWereDeadThen(int partitions) {
        DelayQueueClient queue = open(partitions);
        deadLetters(queue, 700);
        Instant until = test.now();
        DeadLetters dead = queue.deadLetters(TestQueue.TOPIC);
        RedriveOptions later = RedriveOptions.builder().delay(HOUR).build();

        assertThat(dead.countUntil(until)).isEqualTo(700);
        assertThat(dead.countUntil(until.minus(HOUR))).isZero();
        assertThat(dead.redriveUntil(until, 512, later)).isEqualTo(512);
        assertThat(dead.countUntil(until)).isEqualTo(188);
        assertThat(dead.purgeUntil(until, 100)).isEqualTo(100);
        assertThat(dead.redriveUntil(until.minus(HOUR), 512, later)).isZero();
        assertThat(dead.purgeUntil(until.minus(HOUR), 512)).isZero();
        assertThat(dead.redriveUntil(until, 512, later)).isEqualTo(88);
        assertThat(dead.countUntil(until)).isZero();
        assertThat(queue.stats(TestQueue.TOPIC).unaccounted()).isZero();
    }

    @Test
    void stepsNeedALimitThatOneCallOfRedisCanDo() {
        DeadLetters dead = test.queue().deadLetters(TestQueue.TOPIC);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> dead.purgeUntil(Instant.EPOCH, 513))
                .withMessageContaining("1 to 512, not 513");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> dead.redriveUntil(Instant.EPOCH, 0, RedriveOptions.defaults()))
                .withMessageContaining("1 to 512, not 0");
    }

    @Test
    void rateMayBeLowerThanOneASecond() {
        DelayQueueClient queue = open(1);
        deadLetters(queue, 3);

        queue.deadLetters(TestQueue.TOPIC)
                .redriveAll(RedriveOptions.builder().ratePerSecond(0.3).build());

        List<Instant> dues = dues(queue);
        assertThat(Duration.between(dues.get(0), dues.get(2)))
                .isBetween(Duration.ofMillis(6_666), Duration.ofMillis(6_667));
    }

    @Test
    void chosenOnesAreDueInTheOrderGiven() {
        DelayQueueClient queue = open(1);
        deadLetters(queue, 5);
        DeadLetters dead = queue.deadLetters(TestQueue.TOPIC);

        assertThat(dead.redrive(
                        List.of("3", "unknown", "0", "4"),
                        RedriveOptions.builder().delay(HOUR).ratePerSecond(1).build()))
                .isEqualTo(3);

        assertThat(queue.pending(TestQueue.TOPIC).list(10))
                .extracting(PendingMessage::id)
                .containsExactly("3", "0", "4");
        assertThat(queue.stats(TestQueue.TOPIC).dead()).isEqualTo(2);
    }

    @Test
    void delayedOnesAreDeliveredWhenTheyAreDueByConsumersThatWait() {
        DelayQueueClient queue = open(1);
        deadLetters(queue, 20);
        Deliveries deliveries = new Deliveries(test);
        TestQueue.consume(queue, TestQueue.options(), deliveries);
        Instant before = test.now();

        queue.deadLetters(TestQueue.TOPIC)
                .redriveAll(RedriveOptions.builder()
                        .delay(Duration.ofMillis(300))
                        .ratePerSecond(40)
                        .build());

        TestQueue.await().until(() -> queue.stats(TestQueue.TOPIC).totals().acked() == 20);
        assertThat(Duration.between(before, test.now())).isGreaterThanOrEqualTo(Duration.ofMillis(775));
        assertThat(deliveries.attempts()).containsOnly(1);
    }

    @Test
    void impossibleRatesAndDelaysAreRefused() {
        RedriveOptions.Builder options = RedriveOptions.builder();
        for (double rate : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 0.0001}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> options.ratePerSecond(rate))
                    .withMessageContainingAll("ratePerSecond", "0.001", String.valueOf(rate));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.delay(Duration.ofSeconds(-1)))
                .withMessageContaining("PT-1S");
        assertThat(RedriveOptions.defaults()).hasToString("RedriveOptions[delay=PT0S, ratePerSecond=0.0]");
    }

    private DelayQueueClient open(int partitions) {
        return test.open(options -> options.topic(
                TestQueue.TOPIC, TopicOptions.builder().partitions(partitions).build()));
    }

    private static void deadLetters(DelayQueueClient queue, int count) {
        try (LogLines warningsOfDeadLetters = LogLines.ofEngine()) {
            queue.scheduleAll(IntStream.range(0, count)
                    .mapToObj(i -> TestQueue.message().id(String.valueOf(i)).build())
                    .toList());
            Subscription consumer =
                    TestQueue.consume(queue, TestQueue.options().maxAttempts(1), (message, delivery) -> {
                        throw new IllegalStateException("no");
                    });
            TestQueue.await().until(() -> queue.stats(TestQueue.TOPIC).dead() == count);
            consumer.stop(Duration.ofSeconds(20));
        }
    }

    private static List<Instant> dues(DelayQueueClient queue) {
        List<Instant> dues = new ArrayList<>();
        Position position = Position.FIRST;
        for (List<PendingMessage> page = queue.pending(TestQueue.TOPIC).list(position, 512);
                !page.isEmpty();
                page = queue.pending(TestQueue.TOPIC).list(position, 512)) {
            page.forEach(message -> dues.add(message.due()));
            position = page.get(page.size() - 1).position();
        }
        return dues;
    }
}
