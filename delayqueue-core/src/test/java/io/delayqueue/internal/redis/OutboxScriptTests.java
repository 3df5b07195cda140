package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.Delay;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageState;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PartitionMark;
import io.delayqueue.RedisFullException;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.OutboxBatch;
import io.delayqueue.internal.store.OutboxBatchAnswer;
import io.delayqueue.internal.store.OutboxBatchAnswer.Change;
import io.delayqueue.internal.store.OutboxBatchAnswer.Result;
import io.delayqueue.internal.store.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The effects of the outbox's script on each kind of change, the first time and again. */
class OutboxScriptTests extends ScriptTests {

    @Test
    void messagesAreScheduledOnceAndAgainAnsweredAsTheFirstTime() {
        OutboxOperation a = schedule("a", DuplicatePolicy.REJECT);
        OutboxOperation b = schedule("b", DuplicatePolicy.REPLACE);
        OutboxBatchAnswer first = apply(a, b);

        assertThat(results(first)).containsExactly(Result.SCHEDULED, Result.SCHEDULED);
        assertThat(first.changes()).noneMatch(Change::repeated);
        assertThat(first.headWaitMicros()).isZero();
        assertThat(first.mark().sent()).isEqualTo(2);
        assertThat(ids(claim())).containsExactlyInAnyOrder("a", "b");

        Map<String, Object> before = raw.everything();
        OutboxBatchAnswer again = apply(b, a);
        assertThat(results(again)).containsExactly(Result.SCHEDULED, Result.SCHEDULED);
        assertThat(again.changes()).allMatch(Change::repeated);
        assertThat(again.headWaitMicros()).isEqualTo(-1);
        assertThat(again.mark()).isEqualTo(first.mark());
        assertThat(raw.everything()).isEqualTo(before);
    }

    /** The point of it: a plain schedule call would schedule it again. */
    @Test
    void aMessageThatWasAckedMeanwhileIsNotScheduledAgain() {
        OutboxOperation sent = schedule("a", DuplicatePolicy.REJECT);
        apply(sent);
        Claimed claimed = claimOne();
        get(store.ack(PARTITION, nextCall(), List.of(claimed.lease())));

        assertThat(results(apply(sent))).containsExactly(Result.SCHEDULED);
        assertThat(claim().claimed()).isEmpty();
        assertThat(raw.counters()).containsEntry("accepted", "1").containsEntry("acked", "1");
    }

    @Test
    void anotherGenerationOfTheIdIsAnotherMessage() {
        apply(schedule("a", DuplicatePolicy.REJECT));
        get(store.ack(PARTITION, nextCall(), List.of(claimOne().lease())));

        assertThat(results(apply(schedule("a", DuplicatePolicy.REJECT)))).containsExactly(Result.SCHEDULED);
        assertThat(ids(claim())).containsExactly("a");
    }

    /** It may lack the last changes, and what it gets must not make up for them. */
    @Test
    void anotherServerBeginsAnEpochAndKeepsHowTheFormerOneEnded() {
        PartitionMark first = apply(schedule("a", DuplicatePolicy.REJECT)).mark();
        // as a replica finds it that took over
        redis.hset(raw.name(":meta"), "server", "another");
        OutboxOperation change = schedule("b", DuplicatePolicy.REJECT);

        OutboxBatchAnswer refused = apply(first.epoch(), nowMicros(), change);
        assertThat(results(refused)).containsExactly(Result.LATE);
        assertThat(refused.mark().epoch()).isNotEqualTo(first.epoch());
        assertThat(results(apply(change))).containsExactly(Result.SCHEDULED);

        PartitionMark now = get(store.outbox().mark(PARTITION));
        assertThat(now.epoch()).isEqualTo(refused.mark().epoch());
        assertThat(now.sent()).isEqualTo(2);
        assertThat(now.former()).isEqualTo(first);
    }

    @Test
    void duplicatesAreDecidedByTheirPolicyAndRememberedToo() {
        apply(schedule("a", DuplicatePolicy.REJECT), schedule("b", DuplicatePolicy.REJECT));
        OutboxOperation rejected = schedule("a", DuplicatePolicy.REJECT);
        OutboxOperation kept = schedule("b", DuplicatePolicy.KEEP);
        OutboxBatchAnswer first = apply(rejected, kept);

        assertThat(first.changes())
                .containsExactly(
                        new Change(Result.REJECTED_DUPLICATE, false, MessageState.READY),
                        new Change(Result.KEPT, false, MessageState.READY));
        get(store.cancel(PARTITION, List.of("a", "b")));
        assertThat(apply(kept, rejected).changes())
                .containsExactly(
                        new Change(Result.KEPT, true, null), new Change(Result.REJECTED_DUPLICATE, true, null));
        assertThat(raw.messages()).isEmpty();
    }

    @Test
    void aReplacingMessageIsNotAppliedAgainOverItsSuccessor() {
        apply(schedule("a", DuplicatePolicy.REJECT));
        OutboxOperation second = schedule("a", DuplicatePolicy.REPLACE);
        OutboxOperation third = schedule("a", DuplicatePolicy.REPLACE);

        assertThat(results(apply(second))).containsExactly(Result.REPLACED);
        assertThat(results(apply(third))).containsExactly(Result.REPLACED);
        assertThat(results(apply(second))).containsExactly(Result.REPLACED);
        assertThat(raw.messages().get("a")).contains(third.token());
    }

    @Test
    void cancelsAreAppliedOnce() {
        schedule(message("a").delay(HOUR), message("flying"));
        Claimed flying = claimOne();
        OutboxOperation cancel = cancel("a");
        OutboxOperation late = cancel("flying");
        OutboxOperation never = cancel("never");

        assertThat(results(apply(cancel, late, never)))
                .containsExactly(Result.CANCELLED, Result.IN_FLIGHT, Result.NOT_FOUND);
        schedule(message("a").delay(HOUR), message("never").delay(HOUR));
        get(store.ack(PARTITION, nextCall(), List.of(flying.lease())));

        OutboxBatchAnswer again = apply(cancel, late, never);
        assertThat(results(again)).containsExactly(Result.CANCELLED, Result.IN_FLIGHT, Result.NOT_FOUND);
        assertThat(again.changes()).allMatch(Change::repeated);
        assertThat(raw.messages()).containsOnlyKeys("a", "never");
    }

    @Test
    void reschedulesAreAppliedOnceEachToItsOwnTime() {
        schedule(message("a").delay(HOUR), message("b").delay(HOUR).priority(7));
        OutboxOperation toA = reschedule("a", Delay.until(Micros.instant(1_000_000)));
        OutboxOperation toB = reschedule("b", Delay.of(HOUR.multipliedBy(3)));
        OutboxBatchAnswer first = apply(toA, toB, reschedule("never", Delay.NONE));

        assertThat(results(first)).containsExactly(Result.RESCHEDULED, Result.RESCHEDULED, Result.NOT_FOUND);
        assertThat(first.headWaitMicros()).isZero();
        assertThat(raw.scheduled()).isEqualTo(Map.of("a", 1_000_000L));
        assertThat(raw.scheduled(7).get("b")).isGreaterThan(nowMicros() + Micros.of(HOUR.multipliedBy(2)));

        get(store.reschedule(PARTITION, List.of("a"), Delay.of(HOUR)));
        assertThat(apply(toA).changes()).containsExactly(new Change(Result.RESCHEDULED, true, null));
        assertThat(raw.scheduled().get("a")).isGreaterThan(nowMicros());
    }

    @Test
    void appliedAndNewChangesShareABatch() {
        List<OutboxOperation> all = new ArrayList<>();
        for (int i = 0; i < 512; i++) {
            all.add(schedule("m" + i, DuplicatePolicy.REJECT));
        }
        apply(IntStream.range(0, 512).filter(i -> i % 3 == 0).mapToObj(all::get).toArray(OutboxOperation[]::new));
        OutboxBatchAnswer answer = apply(all.toArray(OutboxOperation[]::new));

        assertThat(results(answer)).containsOnly(Result.SCHEDULED);
        for (int i = 0; i < 512; i++) {
            assertThat(answer.changes().get(i).repeated()).isEqualTo(i % 3 == 0);
        }
        assertThat(answer.mark().sent()).isEqualTo(512);
        assertThat(raw.messages()).hasSize(512);
        assertThat(raw.applied()).hasSize(512);
    }

    @Test
    void whatAFullTopicRefusesIsNotRemembered() {
        store.close();
        store = open(options().topic(TOPIC, TopicOptions.builder().maxPending(1).build()));
        OutboxOperation a = schedule("a", DuplicatePolicy.REJECT);
        OutboxOperation b = schedule("b", DuplicatePolicy.REJECT);

        assertThat(results(apply(a, b))).containsExactly(Result.SCHEDULED, Result.TOPIC_FULL);
        get(store.ack(PARTITION, nextCall(), List.of(claimOne().lease())));
        assertThat(apply(a, b).changes())
                .containsExactly(new Change(Result.SCHEDULED, true, null), new Change(Result.SCHEDULED, false, null));
    }

    @Test
    void changesThatComeTooLateAreNotApplied() {
        apply(schedule("known", DuplicatePolicy.REJECT));
        Map<String, Object> before = raw.everything();
        long claim = Micros.of(OutboxOptions.DEFAULTS.sendTimeout());

        assertThat(results(apply(nowMicros() - claim - 1, schedule("a", DuplicatePolicy.REJECT), cancel("known"))))
                .containsExactly(Result.LATE, Result.LATE);
        assertThat(raw.everything()).isEqualTo(before);
        late(null, nowMicros() - claim / 2, cancel("known"));
        assertThat(results(apply(nowMicros(), cancel("known")))).containsExactly(Result.CANCELLED);
    }

    /** All may have been lost: who read changes before that must read them again. */
    @Test
    void theFirstCallOnlyBeginsTheEpoch() {
        assertThat(get(store.outbox().mark(PARTITION))).isEqualTo(new PartitionMark(TOPIC, 0, null, 0, 0));
        long before = nowMicros();
        PartitionMark mark = late(null, before, schedule("a", DuplicatePolicy.REJECT));

        assertThat(mark.epoch()).matches("\\d+:[0-9a-z]{8}");
        assertThat(Long.parseLong(mark.epoch().split(":")[0])).isBetween(before, nowMicros());
        assertThat(mark.sent()).isZero();
        assertThat(raw.present()).containsExactly(":meta");
        assertThat(results(apply(schedule("a", DuplicatePolicy.REJECT)))).containsExactly(Result.SCHEDULED);
        get(store.ack(PARTITION, nextCall(), List.of(claimOne().lease())));
        assertThat(get(store.outbox().mark(PARTITION))).isEqualTo(new PartitionMark(TOPIC, 0, mark.epoch(), 1, 1));
    }

    /** On a Cluster, the time may be that of a server whose clock is ahead of this one's. */
    @Test
    void whoDidNotKnowTheEpochMustHaveReadChangesASecondAfterItBegan() {
        long now = nowMicros();
        String epoch = now - 2_000_000 + ":abcdefgh";
        redis.hset(raw.name(":meta"), Map.of("epoch", epoch, "server", server()));
        OutboxOperation change = schedule("a", DuplicatePolicy.REJECT);

        for (String known : new String[] {null, now - 9_000_000 + ":former00"}) {
            assertThat(late(known, now - 1_000_001, change).epoch()).isEqualTo(epoch);
            assertThat(results(apply(known, now - 1_000_000, schedule(known + "", DuplicatePolicy.REJECT))))
                    .containsExactly(Result.SCHEDULED);
        }
        assertThat(results(apply(epoch, now - 2_000_001, change))).containsExactly(Result.SCHEDULED);
    }

    /** Else the rest of a row would be applied, and then all of it: what came before would change its last message. */
    @ParameterizedTest
    @ValueSource(strings = {"reschedule", "cancel"})
    void whatWasReadBeforeALossIsNotAppliedAfterIt(String kind) {
        OutboxOperation first = schedule("a", DuplicatePolicy.REJECT);
        OutboxOperation change = kind.equals("cancel") ? cancel("a") : reschedule("a", Delay.NONE);
        OutboxOperation last = new OutboxOperation.Schedule(
                message("a").delay(HOUR).ifExists(DuplicatePolicy.REPLACE).build());
        String epoch = epoch(PARTITION);
        long readAfter = nowMicros();
        apply(epoch, readAfter, first);
        apply(epoch, readAfter, change);
        loseAll();

        late(epoch, readAfter, last);
        // another sender, which knew nothing, and one that the same call left behind
        late(null, readAfter, change);
        late(epoch, readAfter, change);
        for (OutboxOperation each : List.of(first, change, last)) {
            assertThat(apply(each).changes()).noneMatch(Change::repeated);
        }

        assertThat(raw.messages().get("a")).contains(last.token());
        assertThat(raw.scheduled().get("a")).isGreaterThan(nowMicros());
    }

    /** Both read before the loss; one of them was told, read again and sent all. */
    @ParameterizedTest
    @ValueSource(strings = {"reschedule", "cancel"})
    void aSecondSenderFromBeforeALossChangesNothingAfterIt(String kind) {
        OutboxOperation first = schedule("a", DuplicatePolicy.REJECT);
        OutboxOperation change = kind.equals("cancel") ? cancel("a") : reschedule("a", Delay.NONE);
        OutboxOperation last = new OutboxOperation.Schedule(
                message("a").delay(HOUR).ifExists(DuplicatePolicy.REPLACE).build());
        String epoch = epoch(PARTITION);
        long readAfter = nowMicros();
        loseAll();
        // these were sent and recorded in the former epoch: the row has the last one only
        assertThat(late(epoch, readAfter, last).epoch()).isNotEqualTo(epoch);
        assertThat(results(apply(last))).containsExactly(Result.SCHEDULED);
        Map<String, Object> before = raw.everything();

        for (String known : new String[] {null, epoch}) {
            late(known, readAfter, first);
            late(known, readAfter, change);
        }

        assertThat(raw.everything()).isEqualTo(before);
    }

    /** Or a server took over whose clock is behind. */
    @Test
    void aClockThatWasSetBackDoesNotMakeAllChangesLateUntilItReachesTheEpoch() {
        apply(schedule("a", DuplicatePolicy.REJECT));
        redis.hset(raw.name(":meta"), "epoch", (nowMicros() + 3_600_000_000L) + ":abcdefgh");

        assertThat(results(apply(schedule("b", DuplicatePolicy.REJECT)))).containsExactly(Result.SCHEDULED);
    }

    @Test
    void aMessageThatAFormerPartitionCountPutsHereIsChangedHereOrElsewhere() {
        String here = elsewhere(0);
        String notHere = elsewhere(1);
        apply(schedule(here, DuplicatePolicy.REJECT));
        Partition increased = new Partition(TOPIC, 0, 2);
        get(store.increasePartitions(increased, false));
        OutboxOperation replaces = schedule(here, DuplicatePolicy.REPLACE);

        assertThat(results(apply(increased, nowMicros(), replaces, schedule(notHere, DuplicatePolicy.REPLACE))))
                .containsExactly(Result.REPLACED, Result.ELSEWHERE);
        assertThat(results(apply(increased, nowMicros(), cancel(here), cancel(notHere))))
                .containsExactly(Result.CANCELLED, Result.ELSEWHERE);
        assertThat(results(apply(increased, nowMicros(), reschedule(notHere, Delay.NONE))))
                .containsExactly(Result.ELSEWHERE);
        assertThat(apply(increased, nowMicros(), replaces).changes())
                .containsExactly(new Change(Result.REPLACED, true, null));
        assertThat(raw.applied())
                .hasSize(3)
                .noneSatisfy((member, score) -> assertThat(member).endsWith(notHere));
    }

    @Test
    void aFullRedisRefusesNewMessagesUnchangedAndCancels() {
        schedule(message("a").delay(HOUR));
        apply(cancel("other"));
        Map<String, Object> before = raw.everything();
        redis.configSet("maxmemory", "1");
        try {
            assertThatThrownBy(() -> apply(schedule("b", DuplicatePolicy.REJECT)))
                    .hasCauseInstanceOf(RedisFullException.class);
            assertThat(raw.everything()).isEqualTo(before);
            assertThat(results(apply(cancel("never")))).containsExactly(Result.NOT_FOUND);
            assertThat(results(apply(reschedule("a", Delay.NONE), reschedule("never", Delay.NONE))))
                    .containsExactly(Result.RESCHEDULED, Result.NOT_FOUND);
            assertThat(results(apply(cancel("a")))).containsExactly(Result.CANCELLED);
        } finally {
            redis.configSet("maxmemory", "0");
        }
    }

    /** An id that two partitions put into the second one. */
    private static String elsewhere(int which) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "id" + i)
                .filter(id -> !new Partition(TOPIC, 0, 2).isOf(id))
                .skip(which)
                .findFirst()
                .orElseThrow();
    }

    private OutboxBatchAnswer apply(OutboxOperation... operations) {
        return apply(nowMicros(), operations);
    }

    private OutboxBatchAnswer apply(long readAfterMicros, OutboxOperation... operations) {
        return apply(PARTITION, readAfterMicros, operations);
    }

    private OutboxBatchAnswer apply(Partition partition, long readAfterMicros, OutboxOperation... operations) {
        return apply(partition, epoch(partition), readAfterMicros, operations);
    }

    private OutboxBatchAnswer apply(@Nullable String knownEpoch, long readAfterMicros, OutboxOperation... operations) {
        return apply(PARTITION, knownEpoch, readAfterMicros, operations);
    }

    private OutboxBatchAnswer apply(
            Partition partition, @Nullable String knownEpoch, long readAfterMicros, OutboxOperation... operations) {
        return get(store.outbox()
                .apply(
                        partition,
                        new OutboxBatch(List.of(operations), readAfterMicros, knownEpoch, OutboxOptions.DEFAULTS)));
    }

    /** The mark that comes with the refusal of a change. */
    private PartitionMark late(@Nullable String knownEpoch, long readAfterMicros, OutboxOperation operation) {
        OutboxBatchAnswer answer = apply(knownEpoch, readAfterMicros, operation);
        assertThat(results(answer)).containsExactly(Result.LATE);
        return answer.mark();
    }

    private void loseAll() {
        redis.del(raw.present().stream().map(raw::name).toArray(String[]::new));
    }

    /** As the scripts name this server. */
    private String server() {
        epoch(PARTITION);
        return redis.hget(raw.name(":meta"), "server");
    }

    private static List<Result> results(OutboxBatchAnswer answer) {
        return answer.changes().stream().map(Change::result).toList();
    }

    private static OutboxOperation schedule(String id, DuplicatePolicy policy) {
        OutgoingMessage message = message(id).ifExists(policy).build();
        return new OutboxOperation.Schedule(message);
    }

    private static OutboxOperation cancel(String id) {
        return new OutboxOperation.Cancel(TOPIC, id, OutboxOperation.newToken());
    }

    private static OutboxOperation reschedule(String id, Delay delay) {
        return new OutboxOperation.Reschedule(TOPIC, id, OutboxOperation.newToken(), delay);
    }
}
