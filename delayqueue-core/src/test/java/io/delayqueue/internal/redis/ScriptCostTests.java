package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.CancelOutcome;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Survey.DueCorrection;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.OutboxBatch;
import io.delayqueue.testsupport.StoreCalls;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that a script runs inside, counted by Redis: as many as its header says, however many messages it moves. */
class ScriptCostTests extends ScriptTests {

    /** The scripts' own calls, and what this test itself asks. */
    private static final Set<String> OUTSIDE = Set.of("evalsha", "eval", "info", "hello", "client", "ping");

    @ParameterizedTest
    @ValueSource(ints = {1, 16, 300})
    void costDoesNotGrowWithTheNumberOfMessages(int count) {
        schedule(message("first").dueAt(Micros.instant(1)));
        claim();
        schedule(message("head").dueAt(Micros.instant(2)));

        assertThat(cost(() -> schedule(IntStream.range(0, count)
                        .mapToObj(i -> message("m" + i).build())
                        .toList())))
                .isEqualTo(told(Script.SCHEDULE, 7));
        List<Lease> leases =
                claim(request(512)).claimed().stream().map(Claimed::lease).toList();
        assertThat(leases).hasSize(count + 1);
        List<Extension> extensions =
                leases.stream().map(lease -> StoreCalls.extension(lease, HOUR)).toList();
        List<Long> receipts = get(store.extend(PARTITION, nextCall(), extensions));
        assertThat(cost(() -> get(store.ack(
                        PARTITION,
                        nextCall(),
                        IntStream.range(0, leases.size())
                                .mapToObj(i -> new Lease(leases.get(i).id(), receipts.get(i)))
                                .toList()))))
                .isEqualTo(told(Script.ACK, 8));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 300})
    void theOutboxCostsAFewCommandsMoreForAnyNumberOfMessages(int count) {
        long now = nowMicros();
        String epoch = epoch(PARTITION);
        applySchedules(now, epoch, "first", 1);
        schedule(message("head").dueAt(Micros.instant(2)));

        // the memory is young: old changes need not be counted
        assertThat(cost(() -> applySchedules(now, epoch, "m", count))).isEqualTo(7 + told(Script.OUTBOX, 7) - 1);
        redis.zincrby(
                raw.name(":applied"), -3.6e9, raw.applied().keySet().iterator().next());
        assertThat(cost(() -> applySchedules(now, epoch, "n", count))).isEqualTo(7 + told(Script.OUTBOX, 7));
    }

    private void applySchedules(long readAfter, String epoch, String prefix, int count) {
        List<OutboxOperation> operations = IntStream.range(0, count)
                .<OutboxOperation>mapToObj(i -> new OutboxOperation.Schedule(
                        message(prefix + i).delay(HOUR).build()))
                .toList();
        get(store.outbox().apply(PARTITION, new OutboxBatch(operations, readAfter, epoch, OutboxOptions.DEFAULTS)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 300})
    void surveysAndDropsReadEachBodyAndLittleElse(int count) {
        List<OutgoingMessage> messages = IntStream.range(0, count)
                .mapToObj(i -> message("m" + i).delay(HOUR).build())
                .toList();
        schedule(messages);
        List<String> ids = messages.stream().map(OutgoingMessage::id).toList();
        Map<String, String> generations =
                messages.stream().collect(Collectors.toMap(OutgoingMessage::id, OutgoingMessage::generation));

        assertThat(cost(() -> get(store.outbox().survey(PARTITION, ids))))
                .isLessThanOrEqualTo(told(Script.SURVEY, "up to 15 commands", 15) + 2 * count);
        List<DueCorrection> corrections = get(store.outbox().survey(PARTITION, ids)).messages().stream()
                .map(each -> new DueCorrection(each.id(), each.generation(), each.dueMicros(), each.dueMicros() + 1))
                .toList();
        assertThat(cost(() -> get(store.outbox().correctDue(PARTITION, corrections))))
                .isLessThanOrEqualTo(told(Script.CORRECT_DUE, "up to 25", 25) + 3 * count);
        assertThat(cost(() -> get(store.outbox().beginEpoch(PARTITION, null))))
                .isEqualTo(told(Script.EPOCH, "2 to 4 commands", 4));
        assertThat(cost(() -> get(store.outbox().beginEpoch(PARTITION, "another"))))
                .isEqualTo(2);
        assertThat(cost(() -> get(store.outbox().drop(PARTITION, generations))))
                .isLessThanOrEqualTo(told(Script.DROP, "up to 20 for any", 20) + count);
    }

    @Test
    void renewing() {
        schedule(IntStream.range(0, 50).mapToObj(i -> message("m" + i).build()).toList());
        List<Extension> extensions = claim().claimed().stream()
                .map(claimed -> StoreCalls.extension(claimed.lease(), HOUR))
                .toList();

        assertThat(cost(() -> get(store.extend(PARTITION, nextCall(), extensions))))
                .isEqualTo(told(Script.EXTEND, 6));
    }

    @Test
    void keepingReceipts() {
        schedule(IntStream.range(0, 50).mapToObj(i -> message("m" + i).build()).toList());
        List<Lease> leases = claim().claimed().stream().map(Claimed::lease).toList();
        List<Extension> extensions = leases.stream()
                .map(lease -> new Extension(lease, HOUR, Extension.Mode.KEEP_RECEIPT))
                .toList();

        assertThat(cost(() -> get(store.extend(PARTITION, nextCall(), extensions))))
                .isEqualTo(told(Script.EXTEND, 6) + told(Script.EXTEND, "2 more if any keeps its receipt", 2));
        assertThat(cost(() -> get(store.ack(PARTITION, nextCall(), leases))))
                .isEqualTo(told(Script.ACK, 8)
                        + told(Script.ACK, "1 more if any message", 1)
                        + told(Script.ACK, "1 for each receipt that is not the deadline", leases.size()));
    }

    @Test
    void claiming() {
        schedule(message("first"));
        claim();
        assertThat(cost(this::claim)).isEqualTo(told(Script.CLAIM, 6));
        schedule(IntStream.range(0, 16).mapToObj(i -> message("m" + i).build()).toList());
        assertThat(cost(this::claim)).isEqualTo(told(Script.CLAIM, 13));
        schedule(IntStream.range(16, 66).mapToObj(i -> message("m" + i).build()).toList());
        assertThat(cost(this::claim)).isEqualTo(13 + 3);
    }

    /** A stall of the machine may last until the message is due: then once more. */
    @Test
    void agreeingWithOthersWhoComes() {
        schedule(message("first"));
        claim();
        int alone = told(Script.CLAIM, 6) + 2;
        int relying = told(Script.CLAIM, 6) + told(Script.CLAIM, "up to 3 if a message is due within 0.9 s", 3);
        await().until(
                        () -> {
                            schedule(message("soon").delay(Duration.ofMillis(800)));
                            int first = cost(this::claim);
                            int second = cost(() ->
                                    claim(StoreCalls.claimRequest(new CallId("c2", 1, false), 10, LEASE, 3, null)));
                            get(store.cancel(PARTITION, List.of("soon")));
                            claim();
                            return List.of(first, second);
                        },
                        List.of(alone, relying)::equals);
    }

    /** Calls of many live consumers are recorded in meta; one that never had a message must not read them all each time. */
    @Test
    void claimingInVainCostsTheSameWithManyConsumers() {
        redis.configResetstat();
        schedule(message("first"));
        claim();
        int before = cost(() -> claim(StoreCalls.claimRequest(new CallId("idle", 1, false), 1, LEASE, 3, null)));
        for (int i = 0; i < 400; i++) {
            redis.hset(raw.name(":meta"), "ack:consumer" + i, "7:" + nowMicros() + ":");
        }

        assertThat(cost(() -> claim(StoreCalls.claimRequest(new CallId("idle", 2, false), 1, LEASE, 3, null))))
                .isEqualTo(before);
        assertThat(redis.info("commandstats")).doesNotContain("cmdstat_hgetall");
    }

    @Test
    void tidyingUp() {
        schedule(message("first"));
        claim();

        assertThat(cost(() -> claim(StoreCalls.claimRequest(nextCall(), 1, LEASE, 3, HOUR))))
                .isEqualTo(told(Script.CLAIM, 6) + told(Script.CLAIM, "up to 19 for tidying up", 19));
    }

    @Test
    void suspectsCostOnlyPartitionsThatHaveThem() {
        schedule(message("a").maxAttempts(2));
        claimOne(Duration.ofMillis(1));
        claimUntil(answer -> !answer.leaseExpired().isEmpty());
        claim();
        int withSuspect = cost(this::claim);

        get(store.cancel(PARTITION, List.of("a")));
        claim();

        assertThat(withSuspect - cost(this::claim)).isEqualTo(1);
    }

    @Test
    void cancellingAndLookingUp() {
        schedule(IntStream.range(0, 50)
                .mapToObj(i -> message("m" + i).delay(HOUR).build())
                .toList());
        assertThat(cost(() -> get(store.find(PARTITION, "m1")))).isLessThanOrEqualTo(told(Script.FIND, 8));
        assertThat(cost(this::stats)).isLessThanOrEqualTo(told(Script.STATS, 8));
        List<String> ids = IntStream.range(0, 50).mapToObj(i -> "m" + i).toList();
        assertThat(cost(() -> get(store.cancel(PARTITION, ids)))).isEqualTo(told(Script.CANCEL, 8));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 99})
    void countingByTimeCostsAsManyCommandsAsThereAreBounds(int bounds) {
        schedule(message("a").delay(HOUR), message("b").priority(7).delay(HOUR));
        List<Instant> times =
                IntStream.range(0, bounds).mapToObj(i -> Micros.instant(i + 1)).toList();

        told(Script.COUNT_BY_TIME, "2 commands, and b \\+ 1 more for each priority in use", 2);
        assertThat(cost(() -> get(store.pendingMessages().count(PARTITION, times))))
                .isEqualTo(2 + 2 * (bounds + 1));
        assertThat(cost(() -> get(store.deadLetters().count(PARTITION, times)))).isLessThanOrEqualTo(2 + bounds + 1);
    }

    /** A body may have a megabyte. */
    @ParameterizedTest
    @ValueSource(ints = {0, 9})
    void cancellingMessagesOfAnotherPriorityReadsNoBodies(int priority) {
        List<String> ids = IntStream.range(0, 50).mapToObj(i -> "m" + i).toList();
        schedule(ids.stream()
                .map(id -> message(id).priority(priority).delay(HOUR).build())
                .toList());
        redis.configResetstat();

        int commands = cost(() -> assertThat(get(store.cancel(PARTITION, ids))).containsOnly(CancelOutcome.CANCELLED));

        assertThat(commands)
                .isLessThanOrEqualTo(told(Script.CANCEL, 8) + ids.size() + told(Script.CANCEL, "up to 27 for", 27));
        // of meta, for the partition count and the mark
        assertThat(redis.info("commandstats")).contains("cmdstat_hget:calls=1,", "cmdstat_hmget:calls=1,");
    }

    /** The number itself, if the script's header tells it. */
    private static int told(Script script, int commands) {
        return told(script, "\\b" + commands + " commands", commands);
    }

    private static int told(Script script, String text, int commands) {
        String header = new String(script.source(), StandardCharsets.UTF_8)
                .lines()
                .takeWhile(line -> line.startsWith("--"))
                .reduce("", String::concat);
        assertThat(header).containsPattern(Pattern.compile(text));
        return commands;
    }

    private int cost(Runnable call) {
        long before = commands();
        call.run();
        return (int) (commands() - before);
    }

    private long commands() {
        return redis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_"))
                .filter(line -> !OUTSIDE.contains(
                        line.substring("cmdstat_".length(), line.indexOf(':')).split("\\|")[0]))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
                .sum();
    }
}
