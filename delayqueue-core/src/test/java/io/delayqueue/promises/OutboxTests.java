package io.delayqueue.promises;

import static io.delayqueue.OutboxAnswer.Outcome.CANCELLED;
import static io.delayqueue.OutboxAnswer.Outcome.FAILED;
import static io.delayqueue.OutboxAnswer.Outcome.LATE;
import static io.delayqueue.OutboxAnswer.Outcome.NOT_FOUND;
import static io.delayqueue.OutboxAnswer.Outcome.REJECTED_DUPLICATE;
import static io.delayqueue.OutboxAnswer.Outcome.RESCHEDULED;
import static io.delayqueue.OutboxAnswer.Outcome.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.MessageState;
import io.delayqueue.Outbox;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutboxReply;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PartitionMark;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.TopicOptions;
import io.delayqueue.WakeUp;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Changes that come by way of an outbox, as a journal sends them. */
class OutboxTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void changesOfOneIdAreAppliedInTheirOrderAmongManyOthers() {
        Outbox outbox = outbox(test.queue());
        List<OutboxOperation> operations = new ArrayList<>();
        OutboxOperation last = schedule("x");
        operations.add(schedule("x"));
        IntStream.range(0, 300).forEach(i -> operations.add(schedule("m" + i)));
        operations.add(cancel("x"));
        operations.add(cancel("never"));
        operations.add(cancel("m7"));
        operations.add(last);
        operations.add(schedule("x"));
        operations.add(reschedule("x", Delay.of(HOUR.multipliedBy(9))));

        List<OutboxAnswer> answers = send(outbox, operations);

        assertThat(outcomes(answers).subList(301, 307))
                .containsExactly(CANCELLED, NOT_FOUND, CANCELLED, SCHEDULED, REJECTED_DUPLICATE, RESCHEDULED);
        assertThat(outcomes(answers).subList(0, 301)).containsOnly(SCHEDULED);
        assertThat(test.queue().find(TestQueue.TOPIC, "x")).hasValueSatisfying(found -> {
            assertThat(found.generation()).isEqualTo(last.token());
            assertThat(found.due()).isAfter(test.now().plus(HOUR.multipliedBy(8)));
        });
        assertThat(test.stats().totals().accepted()).isEqualTo(302);

        assertThat(send(outbox, operations)).allMatch(OutboxAnswer::repeated).isEqualTo(repeated(answers));
        assertThat(test.stats().totals().accepted()).isEqualTo(302);
    }

    @Test
    void aFailedChangeHoldsUpThoseBehindItAndNoOtherId() {
        DelayQueueClient small = test.open(options -> options.maxPayload(100));
        OutgoingMessage large = TestQueue.message()
                .id("large")
                .payload(new byte[101])
                .delay(HOUR)
                .build();

        List<OutboxAnswer> answers = send(
                outbox(small),
                List.of(new OutboxOperation.Schedule(large), schedule("a"), cancel("large"), cancel("a")));

        assertThat(outcomes(answers)).containsExactly(FAILED, SCHEDULED, FAILED, CANCELLED);
        assertThat(answers.get(0).failure()).hasMessageContaining("'large'").hasMessageContaining("maxPayload");
        assertThat(answers.get(2).failure()).hasMessageContaining("the one before it failed");
        assertThat(answers).extracting(OutboxAnswer::isApplied).containsExactly(false, true, false, true);
    }

    @Test
    void changesThatWereReadLongAgoAreLateAndSoAreThoseBehindThem() {
        Outbox outbox = outbox(test.queue());
        long longAgo = time(outbox) - 11_000_000;

        OutboxReply reply = get(outbox.send(List.of(schedule("a"), cancel("a"), schedule("b")), longAgo));

        assertThat(outcomes(reply.answers())).containsExactly(LATE, LATE, LATE);
        assertThat(test.redis().keys("dq:{*")).isEmpty();
    }

    /** All may have been lost, and changes that were read before may be older than others that were applied. */
    @Test
    void theFirstChangesOfAPartitionAreReadAgain() {
        Outbox outbox = outbox(test.queue());
        List<OutboxOperation> operations = List.of(schedule("a"), cancel("a"), schedule("b"));

        OutboxReply refused = get(outbox.send(operations, time(outbox)));
        assertThat(outcomes(refused.answers())).containsOnly(LATE);
        assertThat(refused.marks()).extracting(PartitionMark::sent).containsExactly(0L);

        OutboxReply taken = get(outbox.send(operations, time(outbox)));
        assertThat(outcomes(taken.answers())).containsExactly(SCHEDULED, CANCELLED, SCHEDULED);
        assertThat(taken.marks())
                .extracting(PartitionMark::epoch)
                .containsExactly(refused.marks().get(0).epoch());
    }

    @Test
    void aCallSpansTopicsAndPartitionsAndTellsTheMarksOfAll() {
        DelayQueueClient queue = test.open(options ->
                options.topic("wide", TopicOptions.builder().partitions(4).build()));
        Outbox outbox = outbox(queue);
        List<OutboxOperation> operations = new ArrayList<>();
        for (String topic : List.of("wide", "one", "two")) {
            IntStream.range(0, 700).forEach(i -> operations.add(schedule(topic, "m" + i)));
        }

        assertThat(queue.survey("wide").marks())
                .allMatch(mark -> mark.epoch() == null)
                .hasSize(4);

        OutboxReply reply = reply(outbox, operations);

        assertThat(outcomes(reply.answers())).hasSize(2100).containsOnly(SCHEDULED);
        assertThat(reply.marks()).hasSize(6);
        assertThat(reply.marks().stream().mapToLong(PartitionMark::sent).sum()).isEqualTo(2100);
        assertThat(queue.survey("wide").marks())
                .extracting(PartitionMark::partition)
                .containsExactly(0, 1, 2, 3);
        assertThat(reply.marks())
                .containsAll(queue.survey("wide").marks())
                .containsAll(queue.survey("one").marks())
                .containsAll(queue.survey("two").marks());
        assertThat(queue.topics()).contains("wide", "one", "two");
        assertThat(queue.stats("wide").totals().accepted()).isEqualTo(700);
    }

    @Test
    void largeMessagesAreSentInBatchesOfBoundedSize() {
        Outbox outbox = outbox(test.queue());
        List<OutboxOperation> operations = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            operations.add(new OutboxOperation.Schedule(TestQueue.message()
                    .id("m" + i)
                    .payload(new byte[1_000_000])
                    .delay(HOUR)
                    .build()));
        }
        send(outbox, List.of(cancel("begins the epoch")));
        test.redis().configResetstat();

        assertThat(outcomes(send(outbox, operations))).containsOnly(SCHEDULED);
        assertThat(test.redis().info("commandstats")).contains("cmdstat_zadd:calls=6,");
    }

    @Test
    void changesAreRememberedWhereTheIdWasBeforeThereWereMorePartitions() {
        Outbox before = outbox(test.open(options -> options));
        List<OutboxOperation> operations =
                IntStream.range(0, 60).mapToObj(i -> schedule("m" + i)).toList();
        assertThat(outcomes(send(before, operations))).containsOnly(SCHEDULED);
        DelayQueueClient queue = test.open(options -> options.topic(
                TestQueue.TOPIC, TopicOptions.builder().partitions(4).build()));
        // nothing is left where one partition put it
        IntStream.range(0, 60).forEach(i -> queue.cancel(TestQueue.TOPIC, "m" + i));

        for (Outbox outbox : List.of(outbox(queue), before)) {
            List<OutboxAnswer> again = send(outbox, operations);
            assertThat(outcomes(again)).containsOnly(SCHEDULED);
            assertThat(again).allMatch(OutboxAnswer::repeated);
            assertThat(queue.stats(TestQueue.TOPIC).totals().accepted()).isEqualTo(60);
        }
        // and new changes go where new messages are
        List<OutboxOperation> others =
                IntStream.range(0, 60).mapToObj(i -> schedule("m" + i)).toList();
        assertThat(outcomes(send(before, others))).containsOnly(SCHEDULED);
        assertThat(outcomes(send(
                        outbox(queue),
                        IntStream.range(0, 60).mapToObj(i -> cancel("m" + i)).toList())))
                .containsOnly(CANCELLED);
        assertThat(queue.stats(TestQueue.TOPIC).unaccounted()).isZero();
    }

    /** As relays do that take each other for dead. */
    @Test
    void eachMessageIsDeliveredOnceThoughManySendItAndConsumersAckItMeanwhile() {
        Deliveries deliveries = new Deliveries(test);
        TestQueue.consume(test.queue(), TestQueue.options().concurrency(20), deliveries);
        List<OutboxOperation> operations = IntStream.range(0, 2000)
                .<OutboxOperation>mapToObj(i -> new OutboxOperation.Schedule(
                        TestQueue.message().id("m" + i).build()))
                .toList();
        List<CompletableFuture<List<OutboxAnswer>>> senders = new ArrayList<>();
        for (int sender = 0; sender < 4; sender++) {
            Outbox outbox = outbox(test.open(options -> options));
            List<OutboxOperation> shuffled = new ArrayList<>(operations);
            Collections.shuffle(shuffled, new Random(sender));
            senders.add(CompletableFuture.supplyAsync(() -> IntStream.range(0, 20)
                    .mapToObj(i -> send(outbox, shuffled.subList(100 * i, 100 * i + 100)))
                    .flatMap(List::stream)
                    .toList()));
        }

        List<OutboxAnswer> answers =
                senders.stream().map(OutboxTests::get).flatMap(List::stream).toList();

        assertThat(outcomes(answers)).hasSize(8000).containsOnly(SCHEDULED);
        assertThat(answers).filteredOn(answer -> !answer.repeated()).hasSize(2000);
        TestQueue.await()
                .untilAsserted(() -> assertThat(test.stats().totals().acked()).isEqualTo(2000));
        assertThat(deliveries.all()).hasSize(2000);
        assertThat(test.redis().hlen(TestQueue.key("messages"))).isZero();
    }

    @Test
    void tooFewReplicasFailTheChangeThatIsAppliedAllTheSame() {
        DelayQueueClient queue = test.open(test.admin(), options -> options.waitForReplicas(1, Duration.ofMillis(50)));
        OutboxOperation operation = schedule("a");
        send(outbox(test.queue()), List.of(cancel("begins the epoch")));
        // a second ago: this client gets no answer that tells it the epoch
        long begun = time(outbox(queue)) - 1_000_000;
        test.redis().hset(TestQueue.key("meta"), "epoch", begun + ":abcdefgh");

        for (int i = 0; i < 2; i++) {
            OutboxAnswer answer = send(outbox(queue), List.of(operation)).get(0);
            assertThat(answer.outcome()).isEqualTo(FAILED);
            assertThat(answer.failure()).isInstanceOf(ReplicationTimeoutException.class);
        }
        assertThat(send(outbox(test.queue()), List.of(operation)).get(0)).isEqualTo(OutboxAnswer.of(SCHEDULED, true));
    }

    @Test
    void observersAreNotifiedOfEachChangeOnceAndConsumersHereAreWoken() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        DelayQueueClient queue =
                test.open(options -> options.wakeUp(WakeUp.POLL).observer(new DelayQueueObserver() {
                    @Override
                    public void accepted(String topic, int count) {
                        told.add("accepted " + count);
                    }

                    @Override
                    public void cancelled(String topic, String id) {
                        told.add("cancelled " + id);
                    }

                    @Override
                    public void duplicateRejected(String topic, String id, MessageState existing) {
                        told.add("rejected " + id + " " + existing);
                    }
                }));
        Outbox outbox = outbox(queue);
        List<OutboxOperation> operations =
                List.of(schedule("a"), schedule("b"), cancel("a"), schedule("b"), schedule("c"));
        for (int i = 0; i < 3; i++) {
            send(outbox, operations);
        }
        assertThat(told).containsExactlyInAnyOrder("accepted 3", "cancelled a", "rejected b SCHEDULED");

        Deliveries deliveries = new Deliveries(test);
        TestQueue.consume(queue, TestQueue.options(), deliveries);
        for (int i = 0; i < 3; i++) {
            OutgoingMessage now = TestQueue.message().id("now" + i).build();
            send(outbox, List.of(new OutboxOperation.Schedule(now)));
            assertThat(deliveries.nextOnTime().message().generation()).isEqualTo(now.generation());
        }
        send(outbox, List.of(reschedule("b", Delay.NONE), cancel("c")));
        assertThat(deliveries.nextOnTime().id()).isEqualTo("b");
    }

    @Test
    void anIdleTopicForgetsItsChanges() {
        Outbox outbox = outbox(test.queue());
        send(outbox, IntStream.range(0, 50).mapToObj(i -> cancel("m" + i)).toList());

        get(outbox.forget(time(outbox)));
        assertThat(test.redis().zcard(TestQueue.key("applied"))).isEqualTo(50);
        get(outbox.forget(time(outbox) + OutboxOptions.DEFAULTS.remembered().toNanos() / 1000));
        assertThat(test.redis().keys("dq:{*")).containsExactly(TestQueue.key("meta"));
        test.awaitDrained();
    }

    /** Else a restart of the application would leave them in Redis until the topic is used again. */
    @Test
    void anIdleTopicForgetsTheChangesThatAFormerClientSent() {
        OutgoingMessage sent = TestQueue.message().build();
        try (DelayQueueClient former = test.open(options -> options)) {
            send(outbox(former), List.of(new OutboxOperation.Schedule(sent)));
            send(outbox(former), List.of(cancel(sent.id())));
        }
        Outbox outbox = outbox(test.queue());
        assertThat(test.redis().zcard(TestQueue.key("applied"))).isEqualTo(2);

        get(outbox.forget(time(outbox) + OutboxOptions.DEFAULTS.remembered().toNanos() / 1000));
        assertThat(test.redis().keys("dq:{*")).containsExactly(TestQueue.key("meta"));
    }

    private static Outbox outbox(DelayQueueClient queue) {
        return queue.outbox(OutboxOptions.DEFAULTS);
    }

    private static List<OutboxAnswer> send(Outbox outbox, List<OutboxOperation> operations) {
        return reply(outbox, operations).answers();
    }

    /** Sends again what is late, as it is the first time to a partition. */
    private static OutboxReply reply(Outbox outbox, List<OutboxOperation> operations) {
        OutboxReply reply = get(outbox.send(operations, time(outbox)));
        return outcomes(reply.answers()).contains(LATE) ? get(outbox.send(operations, time(outbox))) : reply;
    }

    private static long time(Outbox outbox) {
        return get(outbox.timeMicros());
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static List<OutboxAnswer.Outcome> outcomes(List<OutboxAnswer> answers) {
        return answers.stream().map(OutboxAnswer::outcome).toList();
    }

    private static List<OutboxAnswer> repeated(List<OutboxAnswer> answers) {
        return answers.stream()
                .map(answer -> OutboxAnswer.of(answer.outcome(), true))
                .toList();
    }

    private static OutboxOperation schedule(String id) {
        return schedule(TestQueue.TOPIC, id);
    }

    private static OutboxOperation schedule(String topic, String id) {
        return new OutboxOperation.Schedule(OutgoingMessage.to(topic)
                .id(id)
                .payload(TestQueue.bytes("payload"))
                .delay(HOUR)
                .build());
    }

    private static OutboxOperation cancel(String id) {
        return new OutboxOperation.Cancel(TestQueue.TOPIC, id, OutboxOperation.newToken());
    }

    private static OutboxOperation reschedule(String id, Delay delay) {
        return new OutboxOperation.Reschedule(TestQueue.TOPIC, id, OutboxOperation.newToken(), delay);
    }
}
