package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.MessageState;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PartitionMark;
import io.delayqueue.Survey.DueCorrection;
import io.delayqueue.SurveyedMessage;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.OutboxBatch;
import io.delayqueue.internal.store.OutboxBatchAnswer;
import io.delayqueue.internal.store.OutboxStore.SurveyStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The scripts survey, drop and epoch, and what ack tells of its partition. */
class SurveyScriptTests extends ScriptTests {

    private final List<PartitionMark> marked = new ArrayList<>();

    @Test
    void aSurveyTellsGenerationStateAndDueTime() {
        bury(message("dead"));
        schedule(message("leased"));
        claimOne();
        OutgoingMessage later = message("later").priority(7).delay(HOUR).build();
        schedule(List.of(later, message("ready").build()));

        SurveyStep step = survey("later", "dead", "leased", "ready", "never there");

        assertThat(step.looked()).isEqualTo(5);
        assertThat(step.timeMicros()).isBetween(nowMicros() - 60_000_000, nowMicros());
        assertThat(step.messages())
                .extracting(SurveyedMessage::id, SurveyedMessage::state)
                .containsExactly(
                        tuple("later", MessageState.SCHEDULED),
                        tuple("dead", MessageState.DEAD),
                        tuple("leased", MessageState.IN_FLIGHT),
                        tuple("ready", MessageState.READY));
        SurveyedMessage first = step.messages().get(0);
        assertThat(first.generation()).isEqualTo(later.generation());
        assertThat(first.dueMicros()).isBetween(nowMicros() + 3_500_000_000L, nowMicros() + 3_600_000_000L);
        assertThat(first.attempts()).isZero();
        assertThat(step.messages().get(1).attempts()).isEqualTo(1);
        assertThat(step.messages().get(1).deadSinceMicros()).isBetween(nowMicros() - 60_000_000, nowMicros());
        assertThat(first.deadSinceMicros()).isZero();
    }

    @Test
    void aMessageWhoseKeysWereEvictedHasNoState() {
        schedule(message("a").delay(HOUR));
        redis.del(raw.name(":scheduled"));

        assertThat(survey("a").messages())
                .singleElement()
                .satisfies(message -> assertThat(message.state()).isNull());
        // for the check behind each test
        redis.zadd(raw.name(":scheduled"), nowMicros() + 1e9, "a");
    }

    /** Eviction takes whole keys, and the largest one has the bodies. */
    @Test
    void aMessageWhoseBodyWasEvictedHasNoGeneration() {
        schedule(message("scheduled").delay(HOUR));
        bury(message("dead"));
        schedule(message("leased"));
        claimOne();
        redis.del(raw.name(":messages"));

        assertThat(survey("scheduled", "dead", "leased", "never there").messages())
                .extracting(SurveyedMessage::id, SurveyedMessage::generation, SurveyedMessage::state)
                .containsExactly(
                        tuple("scheduled", "", null),
                        tuple("dead", "", null),
                        tuple("leased", "", MessageState.IN_FLIGHT));
    }

    @Test
    void aSurveyOfLargeBodiesLooksAtTheFirstOnes() {
        List<String> ids = IntStream.range(0, 8).mapToObj(i -> "m" + i).toList();
        for (String id : ids) {
            schedule(message(id).payload(new byte[1_000_000]).delay(HOUR));
        }

        SurveyStep step = get(store.outbox().survey(PARTITION, ids));

        assertThat(step.looked()).isEqualTo(5);
        assertThat(step.messages()).hasSize(5);
    }

    @Test
    void dropDeletesTheGenerationThatIsNamedWhateverItsState() {
        bury(message("dead"));
        schedule(message("leased"));
        claimOne();
        OutgoingMessage suspect = message("kept").delay(HOUR).build();
        schedule(List.of(message("scheduled").priority(9).delay(HOUR).build(), suspect));
        Map<String, String> generations = new HashMap<>();
        survey("dead", "leased", "scheduled")
                .messages()
                .forEach(message -> generations.put(message.id(), message.generation()));
        generations.put("kept", "another0");
        generations.put("never there", "another0");

        assertThat(get(store.outbox().drop(PARTITION, generations))).isEqualTo(3);

        assertThat(survey("dead", "leased", "scheduled", "kept").messages())
                .extracting(SurveyedMessage::id)
                .containsExactly("kept");
        assertThat(raw.present()).containsOnly(":meta", ":messages", ":scheduled");
        assertThat(stats().totals().purged()).isEqualTo(3);
        assertThat(get(store.outbox().drop(PARTITION, generations))).isZero();
    }

    /** Its place was evicted, so the counters did not add up before. */
    @Test
    void aDroppedMessageWithoutAPlaceIsCountedAsAnOrphan() {
        schedule(List.of(
                message("placed").delay(HOUR).build(),
                message("unplaced").delay(HOUR).build()));
        Map<String, String> generations = new HashMap<>();
        survey("placed", "unplaced").messages().forEach(message -> generations.put(message.id(), message.generation()));
        redis.zrem(raw.name(":scheduled"), "unplaced");

        assertThat(get(store.outbox().drop(PARTITION, generations))).isEqualTo(2);

        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "2", "orphaned", "1", "purged", "2"));
        assertThat(stats().unaccounted()).isZero();
    }

    @Test
    void correctDueLeavesMessagesThatChangedSince() {
        schedule(List.of(
                message("later").priority(7).delay(HOUR).build(),
                message("changed").delay(HOUR).build(),
                message("reused").delay(HOUR).build()));
        schedule(message("leased"));
        claimOne();
        Map<String, SurveyedMessage> found = new HashMap<>();
        survey("later", "changed", "reused", "leased").messages().forEach(each -> found.put(each.id(), each));
        redis.zadd(raw.name(":scheduled"), nowMicros() + 1e9, "changed");
        long due = nowMicros() + 7_200_000_000L;

        List<DueCorrection> corrections = List.of(
                correction(found.get("later"), due),
                correction(found.get("changed"), due),
                new DueCorrection("reused", "another0", found.get("reused").dueMicros(), due),
                correction(found.get("leased"), due),
                new DueCorrection("never there", "another0", 1, due));
        Map<String, Long> leased = raw.leased();
        assertThat(get(store.outbox().correctDue(PARTITION, corrections))).isEqualTo(1);

        assertThat(raw.scheduled(7)).isEqualTo(Map.of("later", due));
        assertThat(raw.scheduled()).containsOnlyKeys("changed", "reused").doesNotContainValue(due);
        assertThat(raw.leased()).isEqualTo(leased);
        assertThat(stats().pending().total()).isEqualTo(3);
        assertThat(get(store.outbox().correctDue(PARTITION, corrections))).isZero();
    }

    private static DueCorrection correction(SurveyedMessage found, long due) {
        return new DueCorrection(found.id(), found.generation(), found.dueMicros(), due);
    }

    @Test
    void anEpochBeginsOnceForTheOneThatWasFound() {
        PartitionMark first = get(store.outbox().beginEpoch(PARTITION, null));
        assertThat(first.epoch()).isNotNull();
        assertThat(get(store.outbox().mark(PARTITION))).isEqualTo(first);

        assertThat(get(store.outbox().beginEpoch(PARTITION, null))).isEqualTo(first);
        PartitionMark second = get(store.outbox().beginEpoch(PARTITION, first.epoch()));
        assertThat(second.epoch()).isNotEqualTo(first.epoch());
        assertThat(get(store.outbox().beginEpoch(PARTITION, first.epoch()))).isEqualTo(second);
    }

    @Test
    void aLookAtAnotherServerBeginsAnEpoch() {
        PartitionMark first = get(store.outbox().beginEpoch(PARTITION, null));
        redis.hset(raw.name(":meta"), "server", "another");

        PartitionMark now = get(store.outbox().mark(PARTITION));

        assertThat(now.epoch()).isNotNull().isNotEqualTo(first.epoch());
        assertThat(now.former()).isEqualTo(first);
        assertThat(get(store.outbox().mark(PARTITION))).isEqualTo(now);
    }

    @Test
    void changesThatWereReadBeforeTheEpochAreLate() {
        long before = nowMicros();
        get(store.outbox().beginEpoch(PARTITION, null));

        OutgoingMessage message = message("a").delay(HOUR).build();
        assertThat(apply(message, message.generation(), before, null)).isEqualTo(OutboxBatchAnswer.Result.LATE);
        assertThat(apply(message, message.generation(), nowMicros())).isEqualTo(OutboxBatchAnswer.Result.SCHEDULED);
    }

    /** A restore sends the same generation again as a change of its own. */
    @Test
    void aMessageThatIsGoneIsScheduledAgainByAnotherChange() {
        OutgoingMessage message = message("a").delay(HOUR).build();
        apply(message, message.generation(), nowMicros());
        get(store.outbox().drop(PARTITION, Map.of("a", message.generation())));

        assertThat(apply(message, message.generation(), nowMicros())).isEqualTo(OutboxBatchAnswer.Result.SCHEDULED);
        assertThat(survey("a").messages()).isEmpty();
        apply(message, "restore0", nowMicros());
        assertThat(survey("a").messages()).hasSize(1);
        apply(message, "restore1", nowMicros());
        assertThat(stats().pending().scheduled()).isEqualTo(1);
    }

    @Test
    void anAckTellsTheCountersBehindIt() {
        store.close();
        store = open(options().observer(new DelayQueueObserver() {
            @Override
            public void marked(PartitionMark mark) {
                marked.add(mark);
            }
        }));
        schedule(message("without outbox"));
        ack(claimOne());
        assertThat(marked).isEmpty();

        OutgoingMessage message = message("a").build();
        apply(message, message.generation(), nowMicros());
        ack(claimOne(Duration.ofSeconds(30)));

        assertThat(marked).containsExactly(get(store.outbox().mark(PARTITION)));
        assertThat(marked.get(0).ended()).isEqualTo(2);
        assertThat(marked.get(0).sent()).isEqualTo(1);
    }

    @Test
    void cancelsAndPurgesTellTheCountersBehindThem() {
        store.close();
        store = open(options().observer(new DelayQueueObserver() {
            @Override
            public void marked(PartitionMark mark) {
                marked.add(mark);
            }
        }));
        List<String> ids = List.of("a", "b", "c", "d");
        ids.forEach(id -> {
            OutgoingMessage message = message(id).delay(Duration.ofHours(1)).build();
            apply(message, message.generation(), nowMicros());
        });

        get(store.cancel(PARTITION, List.of("a")));
        assertThat(marked).containsExactly(get(store.outbox().mark(PARTITION)));
        get(store.pendingMessages().purge(PARTITION, List.of("b", "c")));
        assertThat(marked).extracting(PartitionMark::ended).containsExactly(1L, 3L);
        redis.zrem(raw.name(":scheduled"), "d");
        redis.zadd(raw.name(":dead"), 1, "d");
        assertThat(get(store.deadLetters().purge(PARTITION, List.of("d", "e")))).containsExactly("d");

        assertThat(marked).extracting(PartitionMark::ended).containsExactly(1L, 3L, 4L);
        assertThat(marked.get(2)).isEqualTo(get(store.outbox().mark(PARTITION)));
    }

    private void ack(Claimed claimed) {
        assertThat(get(store.ack(PARTITION, nextCall(), List.of(claimed.lease()))))
                .containsExactly(true);
    }

    private OutboxBatchAnswer.Result apply(OutgoingMessage message, String token, long readAfter) {
        return apply(message, token, readAfter, epoch(PARTITION));
    }

    private OutboxBatchAnswer.Result apply(
            OutgoingMessage message, String token, long readAfter, @Nullable String known) {
        OutboxBatch batch = new OutboxBatch(
                List.of(new OutboxOperation.Schedule(message, token)), readAfter, known, OutboxOptions.DEFAULTS);
        return get(store.outbox().apply(PARTITION, batch)).changes().get(0).result();
    }

    private SurveyStep survey(String... ids) {
        return get(store.outbox().survey(PARTITION, List.of(ids)));
    }
}
