package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.Delay;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages.Position;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.internal.store.DeadLetterStore.RedriveTimes;
import io.delayqueue.internal.store.MessageStore.DeleteStep;
import io.delayqueue.internal.store.MessageStore.IdStep;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.PartitionsChangedException;
import io.delayqueue.internal.store.PendingMessageStore.PurgeStep;
import io.delayqueue.internal.store.Selection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Scripts {@code pending}, {@code purge_pending}, {@code delete_topic}, {@code list_ids}, and those that concern former partitions. */
class OperatorScriptsTests extends ScriptTests {

    private static final Instant DUE = Instant.parse("2100-01-01T00:00:00.123456Z");

    @Test
    void pendingMessagesComeByDueTimeThenById() {
        schedule(
                message("b").dueAt(DUE),
                message("ä").dueAt(DUE).priority(9),
                message("B").dueAt(DUE).priority(0),
                message("z").dueAt(DUE.minusMillis(1)),
                message("a").dueAt(DUE.plusMillis(1)));

        assertThat(pending(Position.FIRST, 10)).containsExactly("z", "B", "b", "ä", "a");
        assertThat(pending(Position.FIRST, 2)).containsExactly("z", "B");
        assertThat(pending(new Position(DUE, "B"), 2)).containsExactly("b", "ä");
        assertThat(pending(new Position(DUE, "c"), 10)).containsExactly("ä", "a");
        assertThat(pending(Position.from(DUE.plusMillis(2)), 10)).isEmpty();
    }

    @Test
    void pendingMessagesOfAllPrioritiesAreCountedByDueTime() {
        bury(message("dead"));
        schedule(message("leased"));
        claimOne();
        schedule(
                message("ready"),
                message("before").dueAt(DUE.minusNanos(1_000)).priority(9),
                message("at").dueAt(DUE),
                message("between").dueAt(DUE.plusMillis(5)).priority(0),
                message("at the second").dueAt(DUE.plusMillis(10)),
                message("later").dueAt(DUE.plusSeconds(10)));

        assertThat(get(store.pendingMessages().count(PARTITION, List.of(DUE)))).containsExactly(2L, 4L);
        assertThat(get(store.pendingMessages()
                        .count(PARTITION, List.of(Instant.EPOCH, DUE, DUE.plusMillis(10), DUE.plusSeconds(60)))))
                .containsExactly(0L, 2L, 2L, 2L, 0L);
    }

    @Test
    void deadLettersAreCountedByTheTimeSinceWhichTheyAreDead() {
        bury(message("a"));
        long between = nowMicros();
        bury(message("b"));
        schedule(message("pending").delay(HOUR));

        assertThat(get(store.deadLetters().count(PARTITION, List.of(Micros.instant(between)))))
                .containsExactly(1L, 1L);
        assertThat(get(store.deadLetters()
                        .count(PARTITION, List.of(Micros.instant(raw.dead().get("b"))))))
                .as("at the bound is not before it")
                .containsExactly(1L, 1L);
    }

    @Test
    void stepsUpToATimeLeaveThoseThatWereDeadLetteredLater() {
        bury(message("a"));
        bury(message("b"));
        Instant until = Micros.instant(raw.dead().get("b"));
        bury(message("c"));

        assertThat(get(store.deadLetters().redrive(PARTITION, Selection.until(until, 1), RedriveTimes.NOW))
                        .ids())
                .containsExactly("a");
        assertThat(get(store.deadLetters().redrive(PARTITION, Selection.until(until, 10), RedriveTimes.NOW))
                        .ids())
                .containsExactly("b");
        assertThat(get(store.deadLetters()
                                .redrive(PARTITION, Selection.until(until, List.of("a", "c")), RedriveTimes.NOW))
                        .ids())
                .isEmpty();
        assertThat(get(store.deadLetters().purge(PARTITION, Selection.until(until, List.of("a", "c")))))
                .isEmpty();
        assertThat(get(store.deadLetters().purge(PARTITION, Selection.until(until, 10))))
                .isEmpty();
        Instant later = Micros.instant(raw.dead().get("c"));
        assertThat(get(store.deadLetters().purge(PARTITION, Selection.until(later.minusNanos(1_000), List.of("c")))))
                .isEmpty();
        assertThat(get(store.deadLetters().purge(PARTITION, Selection.until(later, List.of("c")))))
                .containsExactly("c");
        assertThat(raw.messages()).containsOnlyKeys("a", "b");
    }

    @Test
    void purgeUpToATimeTakesNoMoreThanItsLimit() {
        bury(message("a"));
        bury(message("b"));
        Instant until = Micros.instant(nowMicros());

        assertThat(get(store.deadLetters().purge(PARTITION, Selection.until(until, 1))))
                .containsExactly("a");
        assertThat(get(store.deadLetters().purge(PARTITION, Selection.until(until, 1))))
                .containsExactly("b");
        assertThat(get(store.deadLetters().purge(PARTITION, Selection.until(until, 1))))
                .isEmpty();
    }

    @Test
    void pendingOnesOfSomeIdsArePurgedOnlyUpToATime() {
        schedule(
                message("a").dueAt(DUE),
                message("b").dueAt(DUE.plusMillis(1)).priority(8),
                message("c").dueAt(DUE));

        assertThat(get(store.pendingMessages().purge(PARTITION, Selection.until(DUE, List.of("a", "b")))))
                .containsExactly("a");
        assertThat(raw.messages()).containsOnlyKeys("b", "c");
    }

    @Test
    void purgingPendingOnesLeavesNothingOfThem() {
        bury(message("dead"));
        schedule(message("leased"));
        claimOne();
        schedule(
                message("a").delay(HOUR),
                message("b").delay(HOUR).priority(7),
                message("c").dueAt(DUE));
        redis.hset(raw.name(":attempts"), "a", "1");

        assertThat(get(store.pendingMessages().purge(PARTITION, List.of("a", "dead", "leased", "never", "b"))))
                .hasSize(2);
        assertThat(raw.messages()).containsOnlyKeys("dead", "leased", "c");
        assertThat(raw.attempts()).containsOnlyKeys("dead");
        assertThat(raw.counters()).containsEntry("purged", "2");
        assertThat(get(store.pendingMessages().purge(PARTITION, DUE.minusMillis(1))))
                .isEmpty();
        assertThat(get(store.pendingMessages().purge(PARTITION, DUE))).hasSize(1);
        assertThat(raw.messages()).containsOnlyKeys("dead", "leased");
    }

    @Test
    void pendingOnesOfSomeGenerationsArePurgedUnlessReplaced() {
        OutgoingMessage same = message("same").delay(HOUR).build();
        OutgoingMessage urgent = message("urgent").delay(HOUR).priority(9).build();
        OutgoingMessage before = message("replaced").delay(HOUR).build();
        OutgoingMessage leased = message("leased").build();
        schedule(List.of(leased));
        claimOne();
        schedule(List.of(same, urgent, before));
        schedule(message("replaced").delay(HOUR).ifExists(DuplicatePolicy.REPLACE));
        Map<String, String> generations = new LinkedHashMap<>();
        List.of(before, leased, same, urgent).forEach(planned -> generations.put(planned.id(), planned.generation()));
        generations.put("gone", same.generation());

        PurgeStep step = get(store.pendingMessages().purge(PARTITION, Delay.LATEST, generations));

        assertThat(step.looked()).isEqualTo(5);
        assertThat(step.ids()).containsExactlyInAnyOrder("same", "urgent");
        assertThat(raw.messages()).containsOnlyKeys("replaced", "leased");
        assertThat(raw.counters()).containsEntry("purged", "2");
        assertThat(get(store.pendingMessages().purge(PARTITION, Delay.LATEST, generations)))
                .isEqualTo(new PurgeStep(5, List.of()));
    }

    @Test
    void pendingOnesOfSomeGenerationsArePurgedOnlyUpToATime() {
        OutgoingMessage later = message("a").dueAt(DUE.plusMillis(1)).build();
        schedule(List.of(later));

        assertThat(get(store.pendingMessages().purge(PARTITION, DUE, Map.of("a", later.generation())))
                        .ids())
                .isEmpty();
        assertThat(get(store.pendingMessages().purge(PARTITION, DUE.plusMillis(1), Map.of("a", later.generation())))
                        .ids())
                .containsExactly("a");
    }

    @Test
    void oneStepReadsBodiesOfBoundedSize() {
        List<OutgoingMessage> large = IntStream.range(0, 12)
                .mapToObj(i -> message("large" + i)
                        .payload(new byte[1024 * 1024])
                        .delay(HOUR)
                        .build())
                .toList();
        large.forEach(each -> schedule(List.of(each)));
        Map<String, String> generations = new LinkedHashMap<>();
        large.forEach(each -> generations.put(each.id(), each.generation()));

        PurgeStep step = get(store.pendingMessages().purge(PARTITION, Delay.LATEST, generations));

        assertThat(step.looked()).isBetween(2, 5);
        assertThat(step.ids()).hasSize(step.looked());
    }

    @Test
    void onePurgeDeletesNoMoreThanABatch() {
        schedule(IntStream.range(0, 400).mapToObj(i -> message("a" + i).build()).toList());
        schedule(IntStream.range(0, 400)
                .mapToObj(i -> message("b" + i).priority(2).build())
                .toList());

        assertThat(get(store.pendingMessages().purge(PARTITION, DUE))).hasSize(512);
        assertThat(get(store.pendingMessages().purge(PARTITION, DUE))).hasSize(288);
    }

    @Test
    void emptyPartitionIsDeletedWithItsMeta() {
        assertThat(delete(false)).isEqualTo(DeleteStep.ABSENT);
        schedule(message("a").delay(HOUR));
        Map<String, Object> before = raw.everything();
        assertThat(delete(false)).isEqualTo(DeleteStep.NOT_EMPTY);
        assertThat(raw.everything()).isEqualTo(before);
        get(store.cancel(PARTITION, List.of("a")));

        assertThat(delete(false)).isEqualTo(DeleteStep.DELETED);
        assertThat(raw.present()).isEmpty();
    }

    @Test
    void forcedDeletionTakesABoundedStepAtATime() {
        bury(message("dead"));
        schedule(message("leased"));
        claimOne();
        for (int from = 0; from < 1_200; from += 400) {
            schedule(IntStream.range(from, from + 400)
                    .mapToObj(i -> message("m" + i)
                            .delay(HOUR)
                            .priority(i % 2 == 0 ? 4 : 8)
                            .build())
                    .toList());
        }
        redis.hset(raw.name(":messages"), "body without a due time", "1S4-");
        redis.hset(raw.name(":attempts"), "left behind", "1");
        List<DeleteStep> steps = new ArrayList<>();
        long before = redis.hlen(raw.name(":messages"));
        long left = before;
        do {
            steps.add(delete(true));
            long now = redis.hlen(raw.name(":messages"));
            assertThat(left - now).isLessThanOrEqualTo(512);
            left = now;
            if (steps.get(steps.size() - 1) == DeleteStep.UNFINISHED) {
                assertThat(raw.counters())
                        .as("right if the deletion ends here")
                        .containsEntry("purged", String.valueOf(before - left));
            }
        } while (steps.get(steps.size() - 1) == DeleteStep.UNFINISHED && steps.size() < 100);

        assertThat(steps).endsWith(DeleteStep.UNFINISHED, DeleteStep.DELETED);
        assertThat(raw.present()).isEmpty();
        assertThat(delete(true)).isEqualTo(DeleteStep.ABSENT);
    }

    @Test
    void allIdsAreListedStepByStep() {
        for (int from = 0; from < 1_000; from += 500) {
            schedule(IntStream.range(from, from + 500)
                    .mapToObj(i ->
                            message("m" + i).payload(new byte[100]).delay(HOUR).build())
                    .toList());
        }
        List<String> ids = new ArrayList<>();
        String cursor = IdStep.BEGIN;
        IdStep step;
        do {
            step = get(store.listIds(PARTITION, cursor, 50));
            assertThat(step.ids()).hasSizeLessThan(200);
            assertThat(step.bytes()).isGreaterThanOrEqualTo(100L * step.ids().size());
            assertThat(redis.info("server")).contains("run_id:" + step.server() + "\r\n");
            ids.addAll(step.ids());
            cursor = step.cursor();
        } while (!step.isLast());

        assertThat(ids).hasSizeGreaterThanOrEqualTo(1_000);
        assertThat(ids.stream().distinct()).hasSize(1_000);
    }

    @Test
    void formerCountsAreForgottenOnlyIfTheyAreThoseSearched() {
        schedule(message("a").delay(HOUR));
        Partitioning two = get(store.increasePartitions(new Partition(TOPIC, 0, 2), false));
        assertThat(two.former()).containsExactly(1);
        Partitioning four = get(store.increasePartitions(new Partition(TOPIC, 0, 4), false));

        assertThat(get(store.forgetFormer(two))).isEqualTo(four);
        assertThat(get(store.forgetFormer(new Partitioning(TOPIC, 4, false, List.of(1)))))
                .isEqualTo(four);
        assertThat(get(store.forgetFormer(four)).former()).isEmpty();
        assertThat(raw.meta()).doesNotContainKey("former").containsEntry("partitions", "4");
    }

    @Test
    void messageOfAFormerPartitionIsReplacedThereAndNeverNew() {
        String foreign = idOf(1);
        schedule(message(foreign).delay(HOUR));
        get(store.increasePartitions(new Partition(TOPIC, 0, 2), false));
        Partition former = new Partition(TOPIC, 0, 2);
        OutgoingMessage again =
                message(foreign).delay(HOUR).ifExists(DuplicatePolicy.REPLACE).build();

        assertThat(get(store.schedule(former, List.of(again))).outcomes()).containsExactly(ScheduleOutcome.REPLACED);
        assertThat(get(store.schedule(former, List.of(message(foreign).build())))
                        .outcomes())
                .containsExactly(ScheduleOutcome.REJECTED_DUPLICATE);
        get(store.cancel(former, List.of(foreign)));
        Map<String, Object> before = raw.everything();

        assertThatThrownBy(() ->
                        get(store.schedule(former, List.of(message(idOf(0)).build(), again))))
                .cause()
                .isInstanceOfSatisfying(
                        PartitionsChangedException.class,
                        changed -> assertThat(changed.partitions()).isEqualTo(2));
        assertThat(raw.everything()).isEqualTo(before);
    }

    /** An id that two partitions put in this one. */
    private static String idOf(int number) {
        return IntStream.range(0, 100)
                .mapToObj(i -> "id" + i)
                .filter(id -> new Partition(TOPIC, number, 2).isOf(id))
                .findFirst()
                .orElseThrow();
    }

    private List<String> pending(Position after, int limit) {
        return get(store.pendingMessages().list(PARTITION, after, limit)).stream()
                .map(PendingMessage::id)
                .toList();
    }

    private DeleteStep delete(boolean force) {
        return get(store.deleteTopic(PARTITION, force));
    }
}
