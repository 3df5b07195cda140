package io.delayqueue.promises;

import static io.delayqueue.ScheduleOutcome.KEPT;
import static io.delayqueue.ScheduleOutcome.REJECTED_DUPLICATE;
import static io.delayqueue.ScheduleOutcome.REPLACED;
import static io.delayqueue.ScheduleOutcome.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A second message with the same id, and the same message sent twice. */
class DuplicatesTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void rejectedOneLeavesTheFirstAlone() throws Exception {
        schedule("first", DuplicatePolicy.REJECT);

        assertThat(schedule("second", DuplicatePolicy.REJECT)).isEqualTo(REJECTED_DUPLICATE);

        assertOnlyDelivered("first");
    }

    @Test
    void keepLeavesTheFirstAloneAndSucceeds() throws Exception {
        schedule("first", DuplicatePolicy.REJECT);

        assertThat(schedule("second", DuplicatePolicy.KEEP)).isEqualTo(KEPT);

        assertOnlyDelivered("first");
    }

    @Test
    void replacementIsDeliveredInsteadOfTheFirst() throws Exception {
        schedule("first", DuplicatePolicy.REJECT);

        assertThat(schedule("second", DuplicatePolicy.REPLACE)).isEqualTo(REPLACED);

        assertOnlyDelivered("second");
    }

    @Test
    void replacementBringsItsOwnTimeAndPriority() throws Exception {
        test.queue()
                .schedule(TestQueue.message()
                        .id("a")
                        .delay(Duration.ofHours(1))
                        .priority(1)
                        .build());
        test.consume(TestQueue.options(), new Deliveries(test));

        OutgoingMessage replacement = TestQueue.message()
                .id("a")
                .priority(8)
                .ifExists(DuplicatePolicy.REPLACE)
                .build();
        assertThat(test.queue().schedule(replacement).outcome()).isEqualTo(REPLACED);

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    @Test
    void messageBeingHandledIsNotReplaced() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> mayEnd.await());
        test.consume(TestQueue.options(), deliveries);
        test.schedule("id");
        deliveries.next();

        assertThat(schedule("second", DuplicatePolicy.REPLACE)).isEqualTo(REJECTED_DUPLICATE);
        assertThat(schedule("third", DuplicatePolicy.KEEP)).isEqualTo(KEPT);

        mayEnd.countDown();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(deliveries.all()).hasSize(1);
    }

    @Test
    void deadMessageIsReplacedByALiveOne() throws Exception {
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            if (new String(message.payload()).equals("first")) {
                delivery.deadLetter("no");
            }
        });
        test.consume(TestQueue.options(), deliveries);
        test.queue()
                .schedule(message("first", DuplicatePolicy.REJECT)
                        .delay(Delay.NONE)
                        .build());
        TestQueue.await().until(() -> test.stats().dead() == 1);

        assertThat(schedule("second", DuplicatePolicy.REJECT)).isEqualTo(REJECTED_DUPLICATE);
        test.queue()
                .schedule(message("second", DuplicatePolicy.REPLACE)
                        .delay(Delay.NONE)
                        .build());

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(deliveries.attempts()).containsExactly(1, 1);
    }

    @Test
    void deadLetterGivesWayToAMessageThatIsToBePending() throws Exception {
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            if (new String(message.payload()).equals("first")) {
                delivery.deadLetter("no");
            }
        });
        test.consume(TestQueue.options(), deliveries);
        schedule("first", DuplicatePolicy.KEEP);
        TestQueue.await().until(() -> test.stats().dead() == 1);

        assertThat(test.queue().schedule(message("second", DuplicatePolicy.KEEP).build()))
                .isEqualTo(new ScheduleResult("id", REPLACED));

        TopicStats stats = test.awaitDrained();
        assertThat(stats.totals().acked()).isEqualTo(1);
        assertThat(stats.totals().accepted())
                .as("a replaced message counts once")
                .isEqualTo(1);
        assertThat(deliveries.attempts()).containsExactly(1, 1);
    }

    @Test
    void resultTellsTheStateOfTheMessageThatStays() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            if (message.id().equals("dead")) {
                delivery.deadLetter("no");
            } else {
                mayEnd.await();
            }
        });
        test.queue()
                .schedule(TestQueue.message()
                        .id("scheduled")
                        .delay(Duration.ofHours(1))
                        .build());
        Subscription subscription = test.consume(TestQueue.options(), deliveries);
        test.schedule("dead");
        test.schedule("in flight");
        TestQueue.await().until(() -> test.stats().dead() == 1 && test.stats().inFlight() == 1);
        test.queue().pause(TestQueue.TOPIC);
        test.schedule("ready");

        assertThat(existing("scheduled", DuplicatePolicy.REJECT)).isEqualTo(MessageState.SCHEDULED);
        assertThat(existing("scheduled", DuplicatePolicy.KEEP)).isEqualTo(MessageState.SCHEDULED);
        assertThat(existing("ready", DuplicatePolicy.REJECT)).isEqualTo(MessageState.READY);
        assertThat(existing("in flight", DuplicatePolicy.REJECT)).isEqualTo(MessageState.IN_FLIGHT);
        assertThat(existing("in flight", DuplicatePolicy.KEEP)).isEqualTo(MessageState.IN_FLIGHT);
        assertThat(existing("in flight", DuplicatePolicy.REPLACE)).isEqualTo(MessageState.IN_FLIGHT);
        assertThat(existing("dead", DuplicatePolicy.REJECT)).isEqualTo(MessageState.DEAD);
        assertThat(existing("new", DuplicatePolicy.REJECT)).isNull();
        assertThat(existing("scheduled", DuplicatePolicy.REPLACE)).isNull();

        mayEnd.countDown();
        subscription.stop(Duration.ofSeconds(25));
    }

    private @Nullable MessageState existing(String id, DuplicatePolicy policy) {
        OutgoingMessage message = TestQueue.message()
                .id(id)
                .delay(Duration.ofHours(1))
                .ifExists(policy)
                .build();
        return test.queue().schedule(message).existing();
    }

    @Test
    void rejectedOnesAreReportedAndLoggedOnceAMinute() {
        List<String> reported = new CopyOnWriteArrayList<>();
        DelayQueueClient queue = test.open(options -> options.observer(new DelayQueueObserver() {
            @Override
            public void duplicateRejected(String topic, String id, MessageState existing) {
                reported.add(topic + " " + id + " " + existing);
            }
        }));
        List<OutgoingMessage> messages = java.util.stream.IntStream.range(0, 1000)
                .mapToObj(i -> TestQueue.message().id("m" + i).build())
                .toList();
        queue.scheduleAll(messages);
        queue.scheduleAll(messages);
        assertThat(reported).as("repeated calls are no duplicates").isEmpty();

        try (LogLines log = LogLines.ofEngine()) {
            List<OutgoingMessage> others = messages.stream()
                    .map(message -> message.toBuilder().build())
                    .toList();
            assertThat(queue.scheduleAll(others))
                    .extracting(ScheduleResult::outcome)
                    .containsOnly(REJECTED_DUPLICATE);
            queue.schedule(
                    others.get(7).toBuilder().ifExists(DuplicatePolicy.KEEP).build());

            assertThat(log.with("WARN Duplicate messages: "))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("'m0' of topic 'orders'", "READY"));
        }
        assertThat(reported).hasSize(1000).startsWith("orders m0 READY").endsWith("orders m999 READY");
    }

    @Test
    void idIsFreeAgainOnceItsMessageIsDone() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        test.consume(TestQueue.options(), deliveries);
        test.schedule("id");
        test.awaitDrained();

        assertThat(test.queue().schedule(TestQueue.message().id("id").build()).outcome())
                .isEqualTo(SCHEDULED);

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(2);
    }

    @Test
    void callRepeatedWithTheSameMessageAnswersAsTheFirstTime() throws Exception {
        for (DuplicatePolicy policy : DuplicatePolicy.values()) {
            OutgoingMessage message =
                    TestQueue.message().id("id-" + policy).ifExists(policy).build();
            assertThat(test.queue().schedule(message).outcome()).isEqualTo(SCHEDULED);
            assertThat(test.queue().schedule(message).outcome()).isEqualTo(SCHEDULED);
            assertThat(test.queue().scheduleAll(List.of(message, message)))
                    .extracting(ScheduleResult::outcome)
                    .containsExactly(SCHEDULED, SCHEDULED);
        }
        OutgoingMessage replacing =
                message("second", DuplicatePolicy.REPLACE).id("id-REJECT").build();
        assertThat(test.queue().schedule(replacing).outcome()).isEqualTo(REPLACED);
        assertThat(test.queue().schedule(replacing).outcome()).isEqualTo(REPLACED);

        assertThat(test.stats().totals().accepted()).isEqualTo(3);
        assertThat(test.stats().pending().total()).isEqualTo(3);
    }

    @Test
    void callRepeatedWhileItsMessageIsHandledChangesNothing() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> mayEnd.await());
        test.consume(TestQueue.options(), deliveries);
        OutgoingMessage message = TestQueue.message().id("id").build();
        test.queue().schedule(message);
        deliveries.next();

        assertThat(test.queue().schedule(message).outcome()).isEqualTo(SCHEDULED);

        mayEnd.countDown();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(deliveries.all()).hasSize(1);
    }

    @Test
    void generatedIdsNeverCollide() {
        List<OutgoingMessage> messages = java.util.stream.IntStream.range(0, 2000)
                .mapToObj(i -> TestQueue.message().build())
                .toList();

        assertThat(test.queue().scheduleAll(messages))
                .extracting(ScheduleResult::outcome)
                .containsOnly(SCHEDULED);

        assertThat(test.stats().pending().total()).isEqualTo(2000);
    }

    private ScheduleOutcome schedule(String payload, DuplicatePolicy policy) {
        return test.queue().schedule(message(payload, policy).build()).outcome();
    }

    private static OutgoingMessage.Builder message(String payload, DuplicatePolicy policy) {
        return TestQueue.message()
                .id("id")
                .payload(TestQueue.bytes(payload))
                .delay(Duration.ofMillis(100))
                .ifExists(policy);
    }

    private void assertOnlyDelivered(String payload) throws InterruptedException {
        Deliveries deliveries = new Deliveries(test);
        test.consume(TestQueue.options(), deliveries);
        assertThat(deliveries.next().message().payload()).isEqualTo(TestQueue.bytes(payload));
        assertThat(test.awaitDrained().totals().accepted()).isEqualTo(1);
        assertThat(deliveries.all()).hasSize(1);
    }
}
