package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.Outbox;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutboxAnswer.Outcome;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutboxReply;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PartitionMark;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An outbox and a Redis that freezes, crashes or loses its data. */
class OutboxFaultsTests {

    private static final OutboxOptions SHORT = new OutboxOptions(Duration.ofSeconds(4), Duration.ofMinutes(5));

    @RegisterExtension
    final TestQueue test = new TestQueue(EmbeddedRedis.Builder::appendOnly);

    /** The call that arrives when Redis is back finds the changes too old; read again, they are sent once. */
    @Test
    void aCallThatAFrozenRedisCarriesOutLaterIsLate() {
        DelayQueueClient queue = test.open(options -> options.commandTimeout(Duration.ofMillis(4300)));
        Outbox outbox = queue.outbox(SHORT);
        OutboxOperation first = schedule("first");
        assertThat(send(outbox, first).outcome()).isEqualTo(Outcome.SCHEDULED);
        OutboxOperation operation = schedule("a");
        long readAfter = get(outbox.timeMicros());

        test.server().pause();
        OutboxAnswer unanswered;
        try {
            unanswered =
                    get(outbox.send(List.of(operation), readAfter)).answers().get(0);
        } finally {
            test.server().resume();
        }

        assertThat(unanswered.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(unanswered.failure()).isInstanceOf(RedisUnavailableException.class);
        TestQueue.await()
                .untilAsserted(() -> assertThat(send(outbox, first).repeated()).isTrue());
        assertThat(queue.find(TestQueue.TOPIC, "a")).isEmpty();
        assertThat(send(outbox, operation)).isEqualTo(OutboxAnswer.of(Outcome.SCHEDULED, false));
    }

    @Test
    void aCrashLosesNoMemoryThatTheAppendOnlyFileHas() {
        DelayQueueClient queue = test.open(options -> options.commandTimeout(Duration.ofSeconds(5)));
        Outbox outbox = queue.outbox(OutboxOptions.DEFAULTS);
        List<OutboxOperation> operations =
                IntStream.range(0, 200).mapToObj(i -> schedule("m" + i)).toList();
        send(outbox, schedule("first"));
        get(outbox.send(operations, get(outbox.timeMicros())));
        queue.cancelAll(
                TestQueue.TOPIC, operations.stream().map(OutboxOperation::id).toList());
        List<PartitionMark> marks = queue.survey(TestQueue.TOPIC).marks();

        test.server().kill();
        test.server().restart();
        TestQueue.await()
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(get(outbox.timeMicros())).isPositive());

        // another process of Redis may have lost something: the first call only begins an epoch
        assertThat(get(outbox.send(operations, get(outbox.timeMicros()))).answers())
                .extracting(OutboxAnswer::outcome)
                .containsOnly(Outcome.LATE);
        assertThat(get(outbox.send(operations, get(outbox.timeMicros()))).answers())
                .allMatch(answer -> answer.equals(OutboxAnswer.of(Outcome.SCHEDULED, true)));
        assertThat(queue.survey(TestQueue.TOPIC).marks())
                .extracting(PartitionMark::former)
                .isEqualTo(marks);
    }

    @Test
    void aLossOfAllDataShowsInTheEpoch() {
        Outbox outbox = test.queue().outbox(OutboxOptions.DEFAULTS);
        OutboxOperation operation = schedule("a");
        send(outbox, operation);
        PartitionMark before = test.queue().survey(TestQueue.TOPIC).marks().get(0);
        long readBefore = get(outbox.timeMicros());
        test.redis().flushall();

        assertThat(test.queue().survey(TestQueue.TOPIC).marks().get(0).epoch()).isNull();
        assertThat(send(outbox, schedule("b")).outcome()).isEqualTo(Outcome.SCHEDULED);
        assertThat(test.queue().survey(TestQueue.TOPIC).marks().get(0).epoch())
                .isNotNull()
                .isNotEqualTo(before.epoch());
        // another relay may have sent it before the loss, and a consumer may have handled it
        assertThat(get(outbox.send(List.of(operation), readBefore))
                        .answers()
                        .get(0)
                        .outcome())
                .isEqualTo(Outcome.LATE);
    }

    /** The reschedule takes effect in the Redis of before, and must not take effect on the message behind it after the loss. */
    @Test
    void aLossBetweenChangesOfOneIdEndsTheCallAndReadAgainTheyEndInTheirOrder() {
        DelayQueueClient queue = test.open(options -> options.observer(new DelayQueueObserver() {
            private final AtomicBoolean lost = new AtomicBoolean();

            @Override
            public void rescheduled(String topic, String id, Delay delay) {
                if (lost.compareAndSet(false, true)) {
                    test.redis().flushall();
                }
            }
        }));
        Outbox outbox = queue.outbox(OutboxOptions.DEFAULTS);
        send(outbox, schedule("first"));
        OutgoingMessage last = TestQueue.message()
                .id("a")
                .ifExists(DuplicatePolicy.REPLACE)
                .delay(Duration.ofHours(9))
                .build();
        List<OutboxOperation> row = List.of(
                schedule("a"),
                new OutboxOperation.Reschedule(TestQueue.TOPIC, "a", OutboxOperation.newToken(), Delay.NONE),
                new OutboxOperation.Schedule(last));

        OutboxReply ended = get(outbox.send(row, get(outbox.timeMicros())));
        assertThat(ended.answers())
                .extracting(OutboxAnswer::outcome)
                .containsExactly(Outcome.SCHEDULED, Outcome.RESCHEDULED, Outcome.LATE);
        // whoever records the first two must see that there is another epoch, whichever it expects
        assertThat(ended.marks()).extracting(PartitionMark::epoch).hasSize(2).doesNotHaveDuplicates();

        OutboxReply again = get(outbox.send(row, get(outbox.timeMicros())));
        assertThat(again.answers())
                .containsExactly(
                        OutboxAnswer.of(Outcome.SCHEDULED, false),
                        OutboxAnswer.of(Outcome.RESCHEDULED, false),
                        OutboxAnswer.of(Outcome.REPLACED, false));
        assertThat(queue.find(TestQueue.TOPIC, "a")).hasValueSatisfying(found -> {
            assertThat(found.generation()).isEqualTo(last.generation());
            assertThat(found.due()).isAfter(test.now().plus(Duration.ofHours(8)));
        });
    }

    @Test
    void closingTheClientAnswersTheCallsUnderWay() {
        DelayQueueClient queue = test.open(options -> options);
        Outbox outbox = queue.outbox(OutboxOptions.DEFAULTS);
        long readAfter = get(outbox.timeMicros());
        test.server().pause();
        try {
            CompletableFuture<OutboxAnswer> answer = outbox.send(List.of(schedule("a")), readAfter)
                    .thenApply(reply -> reply.answers().get(0));
            queue.close();
            assertThat(get(answer).failure()).isInstanceOf(DelayQueueClosedException.class);
        } finally {
            test.server().resume();
        }
    }

    /** Once more if it only began an epoch. */
    private static OutboxAnswer send(Outbox outbox, OutboxOperation operation) {
        OutboxAnswer answer = sendOnce(outbox, operation);
        return answer.outcome() == Outcome.LATE ? sendOnce(outbox, operation) : answer;
    }

    private static OutboxAnswer sendOnce(Outbox outbox, OutboxOperation operation) {
        return get(outbox.send(List.of(operation), get(outbox.timeMicros())))
                .answers()
                .get(0);
    }

    private static OutboxOperation schedule(String id) {
        return new OutboxOperation.Schedule(
                TestQueue.message().id(id).delay(Duration.ofHours(1)).build());
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(20, TimeUnit.SECONDS).join();
    }
}
