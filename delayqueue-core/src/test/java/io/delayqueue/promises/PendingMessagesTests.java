package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.PendingMessages.Position;
import io.delayqueue.TopicOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.TestQueue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pending messages can be listed by page in the order of their due times, and purged. */
class PendingMessagesTests {

    private static final Duration DAY = Duration.ofDays(1);
    private static final Comparator<PendingMessage> ORDER = Comparator.comparing(PendingMessage::due)
            .thenComparing(message -> message.id().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void pagesHaveEachMessageOnceInOrder(int partitions) {
        DelayQueueClient queue = open(partitions);
        Instant day = test.now().plus(DAY).truncatedTo(ChronoUnit.MILLIS);
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < 1_500; i++) {
            messages.add(TestQueue.message()
                    .id("same time " + i + "ä")
                    .dueAt(day)
                    .priority(i % 3 == 0 ? 4 : i % 10)
                    .build());
            messages.add(TestQueue.message()
                    .id("other time " + i)
                    .dueAt(day.plusMillis(i % 500 - 250))
                    .build());
        }
        queue.scheduleAll(messages);

        List<PendingMessage> all = pages(queue.pending(TestQueue.TOPIC), 200);

        assertThat(all).hasSize(3_000).isSortedAccordingTo(ORDER);
        assertThat(all.stream().map(PendingMessage::id).distinct()).hasSize(3_000);
        assertThat(all).extracting(PendingMessage::state).containsOnly(MessageState.SCHEDULED);
        assertThat(all.stream().filter(message -> message.due().equals(day))).hasSize(1_503);
    }

    @Test
    void messageIsListedWithAllButItsContent() {
        DelayQueueClient queue = test.queue();
        Instant due = test.now().plus(DAY).truncatedTo(ChronoUnit.MICROS);
        queue.schedule(TestQueue.message()
                .id("later")
                .dueAt(due)
                .priority(7)
                .payload(new byte[1_000])
                .header("tenant", "x")
                .build());
        queue.schedule(TestQueue.message().id("now").build());

        List<PendingMessage> page = queue.pending(TestQueue.TOPIC).list(10);

        assertThat(page).extracting(PendingMessage::id).containsExactly("now", "later");
        assertThat(page.get(0).state()).isEqualTo(MessageState.READY);
        PendingMessage later = page.get(1);
        assertThat(later.topic()).isEqualTo(TestQueue.TOPIC);
        assertThat(later.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(later.due()).isEqualTo(due);
        assertThat(later.priority()).isEqualTo(7);
        assertThat(later.attempts()).isZero();
        assertThat(later.bytes()).isBetween(1_000, 1_100);
    }

    /** Their bodies are read in several steps. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void messagesThatWereReplacedAreNotPurged(int partitions) {
        DelayQueueClient queue = open(partitions);
        List<OutgoingMessage> messages = new ArrayList<>();
        IntStream.range(0, 3_000)
                .forEach(i -> messages.add(TestQueue.message()
                        .id("m" + i)
                        .payload(new byte[4_000])
                        .delay(DAY)
                        .build()));
        queue.scheduleAll(messages);
        Map<String, String> generations = new HashMap<>();
        messages.forEach(each -> generations.put(each.id(), each.generation()));
        List.of("m7", "m1999")
                .forEach(id -> queue.schedule(TestQueue.message()
                        .id(id)
                        .delay(DAY)
                        .ifExists(DuplicatePolicy.REPLACE)
                        .build()));
        PendingMessages pending = queue.pending(TestQueue.TOPIC);

        assertThat(pending.purgeDueUntil(Delay.LATEST, generations)).isEqualTo(2_998);
        assertThat(pending.list(10)).extracting(PendingMessage::id).containsExactlyInAnyOrder("m7", "m1999");
        assertThat(queue.stats(TestQueue.TOPIC).unaccounted()).isZero();
    }

    @Test
    void failedAttemptsAreReturned() {
        CountDownLatch failed = new CountDownLatch(1);
        test.consume(TestQueue.options(), (message, delivery) -> {
            failed.countDown();
            delivery.retryAfter(DAY);
        });
        test.schedule("a");

        TestQueue.await()
                .untilAsserted(() -> assertThat(
                                test.queue().pending(TestQueue.TOPIC).list(10))
                        .singleElement()
                        .satisfies(message -> assertThat(message.attempts()).isEqualTo(1)));
    }

    @Test
    void listMayBeginAtAnyTime() {
        DelayQueueClient queue = test.queue();
        Instant day = test.now().plus(DAY);
        for (int i = 0; i < 5; i++) {
            queue.schedule(TestQueue.message()
                    .id(String.valueOf(i))
                    .dueAt(day.plusSeconds(i))
                    .build());
        }
        PendingMessages pending = queue.pending(TestQueue.TOPIC);

        assertThat(pending.list(Position.from(day.plusSeconds(3)), 10))
                .extracting(PendingMessage::id)
                .containsExactly("3", "4");
        assertThat(pending.list(new Position(day.plusSeconds(3), "no such id"), 10))
                .extracting(PendingMessage::id)
                .containsExactly("4");
        assertThat(pending.list(Position.from(Delay.LATEST), 10)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void dueTimesAreCountedInBuckets(int partitions) {
        DelayQueueClient queue = open(partitions);
        Instant day = test.now().plus(DAY).truncatedTo(ChronoUnit.SECONDS);
        queue.scheduleAll(IntStream.range(0, 600)
                .mapToObj(i -> TestQueue.message()
                        .id(String.valueOf(i))
                        .dueAt(day.plusSeconds(i))
                        .priority(i % 10)
                        .build())
                .toList());
        List<Instant> bounds = IntStream.range(0, PendingMessages.MAX_BOUNDS)
                .mapToObj(i -> day.plusSeconds(100 + 2 * i))
                .toList();

        List<Long> counts = queue.pending(TestQueue.TOPIC).countDue(bounds);

        assertThat(counts).hasSize(100);
        assertThat(counts.get(0)).isEqualTo(100);
        assertThat(counts.subList(1, 99)).containsOnly(2L);
        assertThat(counts.get(99)).isEqualTo(600 - 100 - 2 * 98);
    }

    @Test
    void boundsThatCannotBeAreRefused() {
        PendingMessages pending = test.queue().pending(TestQueue.TOPIC);
        Instant now = test.now();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> pending.countDue(List.of()))
                .withMessageContaining("1 to 99 bounds, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pending.countDue(
                        IntStream.range(0, 100).mapToObj(now::plusSeconds).toList()))
                .withMessageContaining("not 100");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pending.countDue(List.of(now, now)))
                .withMessageContaining("ascend");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pending.countDue(List.of(Instant.EPOCH.minusSeconds(1))))
                .withMessageContaining("1970");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void purgedOnesAreGoneAndCountedAndOthersStay(int partitions) {
        DelayQueueClient queue = open(partitions);
        queue.scheduleAll(IntStream.range(0, 2_000)
                .mapToObj(i -> TestQueue.message()
                        .id(String.valueOf(i))
                        .delay(DAY)
                        .priority(i % 10)
                        .build())
                .toList());
        List<String> ids = IntStream.range(0, 1_200).mapToObj(String::valueOf).toList();

        PendingMessages pending = queue.pending(TestQueue.TOPIC);
        assertThat(pending.purge(ids)).isEqualTo(1_200);
        assertThat(pending.purge(ids)).isZero();

        TopicStats stats = queue.stats(TestQueue.TOPIC);
        assertThat(stats.pending().total()).isEqualTo(800);
        assertThat(stats.totals().purged()).isEqualTo(1_200);
        assertThat(stats.totals().cancelled()).isZero();
        assertThat(stats.unaccounted()).isZero();
        assertThat(queue.find(TestQueue.TOPIC, "1199")).isEmpty();
        assertThat(queue.find(TestQueue.TOPIC, "1200")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void allDueUntilATimeArePurgedHoweverMany(int partitions) {
        DelayQueueClient queue = open(partitions);
        Instant day = test.now().plus(DAY).truncatedTo(ChronoUnit.MICROS);
        queue.scheduleAll(IntStream.range(0, 3_000)
                .mapToObj(i -> TestQueue.message()
                        .id(String.valueOf(i))
                        .dueAt(day.plusMillis(i))
                        .priority(i % 10)
                        .build())
                .toList());

        assertThat(queue.pending(TestQueue.TOPIC).purgeDueUntil(day.plusMillis(2_499)))
                .isEqualTo(2_500);

        assertThat(queue.pending(TestQueue.TOPIC).list(1))
                .extracting(PendingMessage::id)
                .containsExactly("2500");
        assertThat(queue.pending(TestQueue.TOPIC).purgeDueUntil(Delay.LATEST)).isEqualTo(500);
        assertThat(queue.stats(TestQueue.TOPIC).pending().total()).isZero();
        assertThat(queue.stats(TestQueue.TOPIC).unaccounted()).isZero();
    }

    @Test
    void messagesInFlightAndDeadLettersAreNeitherListedNorPurged() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        test.consume(TestQueue.options().concurrency(2), (message, delivery) -> {
            if (message.id().equals("dead")) {
                delivery.deadLetter("no use");
            } else {
                begun.countDown();
                finish.await();
            }
        });
        test.schedule("dead");
        test.schedule("in flight");
        begun.await();
        TestQueue.await().until(() -> test.stats().dead() == 1);

        PendingMessages pending = test.queue().pending(TestQueue.TOPIC);
        assertThat(pending.list(10)).isEmpty();
        assertThat(pending.purge(List.of("dead", "in flight", "unknown"))).isZero();
        assertThat(pending.purgeDueUntil(Delay.LATEST)).isZero();

        finish.countDown();
        test.awaitAcked(1);
        assertThat(test.stats().dead()).isEqualTo(1);
    }

    private DelayQueueClient open(int partitions) {
        return test.open(options -> options.topic(
                TestQueue.TOPIC, TopicOptions.builder().partitions(partitions).build()));
    }

    private static List<PendingMessage> pages(PendingMessages pending, int limit) {
        List<PendingMessage> all = new ArrayList<>();
        List<PendingMessage> page = pending.list(limit);
        while (!page.isEmpty()) {
            all.addAll(page);
            page = pending.list(page.get(page.size() - 1).position(), limit);
        }
        return all;
    }
}
