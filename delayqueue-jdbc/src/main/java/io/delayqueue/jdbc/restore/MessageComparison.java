package io.delayqueue.jdbc.restore;

import io.delayqueue.MessageState;
import io.delayqueue.Survey;
import io.delayqueue.SurveyedMessage;
import io.delayqueue.jdbc.restore.Difference.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds unfinished messages of the journal that Redis lacks, has in another state, or has only in part. */
final class MessageComparison {

    /** Clocks of database and Redis run apart, and their times are read one after the other. */
    private static final long SAME_DUE_MICROS = Duration.ofSeconds(5).toNanos() / 1_000;

    /** The journal has the time at which a process noticed the dead letter. */
    private static final long SAME_DEAD_LETTER_MICROS = Duration.ofSeconds(1).toNanos() / 1_000;

    private final RecordedMessages recorded;

    MessageComparison(RecordedMessages recorded) {
        this.recorded = recorded;
    }

    /**
     * The result of a comparison.
     *
     * @param missing messages that Redis does not have
     * @param superseded messages that are not there and whose ids were used again since: how they ended was not recorded
     * @param otherDue messages that are due at another time there
     * @param waiting messages that differ, and that were left to the changes which the outbox has for them, or will have; or whose place
     *     another use of the id has that ended, and is to be removed
     * @param evicted ids of missing messages of which Redis has a part: nobody handled them, whatever its counters say
     * @param unreachable messages of which it has the body only, to be dropped there; among the evicted ones, too
     * @param due ids of missing messages of which Redis has no part, and that were due at the look, or nearly so: somebody may have
     *     handled them
     * @param dead messages that are dead letters there
     */
    record Found(
            List<RecordedMessage> missing,
            List<RecordedMessage> superseded,
            List<OtherDue> otherDue,
            Set<String> evicted,
            Map<String, String> unreachable,
            Set<String> due,
            List<DeadLetter> dead,
            List<RecordedMessage> waiting) {

        Found() {
            this(
                    new ArrayList<>(),
                    new ArrayList<>(),
                    new ArrayList<>(),
                    new HashSet<>(),
                    new HashMap<>(),
                    new HashSet<>(),
                    new ArrayList<>(),
                    new ArrayList<>());
        }

        boolean isEmpty() {
            return missing.isEmpty() && superseded.isEmpty() && otherDue.isEmpty() && dead.isEmpty();
        }

        /** Notes which of the missing messages are due by the clocks after a look. */
        void noteDue(long databaseMicros, long redisMicros) {
            missing.stream()
                    .filter(message -> !evicted.contains(message.id()))
                    .filter(message -> message.dueMicros() - SAME_DUE_MICROS
                            <= (message.dueIsInstant() ? redisMicros : databaseMicros))
                    .map(RecordedMessage::id)
                    .forEach(due::add);
        }

        /** Takes out some of the missing messages. */
        List<RecordedMessage> take(Set<String> ids) {
            List<RecordedMessage> taken = missing.stream()
                    .filter(message -> ids.contains(message.id()))
                    .toList();
            missing.removeAll(Set.copyOf(taken));
            return taken;
        }

        /** Messages that differ. */
        List<RecordedMessage> messages() {
            return Stream.of(
                            missing.stream(),
                            superseded.stream(),
                            otherDue.stream().map(OtherDue::message),
                            dead.stream().map(DeadLetter::message))
                    .flatMap(Function.identity())
                    .toList();
        }
    }

    /**
     * A message that is due at another time in Redis.
     *
     * @param dueMicros that time, or some milliseconds later, by the clock that the message's due time in the journal is meant by
     */
    record OtherDue(RecordedMessage message, long dueMicros) {

        /** An instant is by Redis' clock in the journal, too. */
        OtherDue laterBy(long micros) {
            return message.dueIsInstant() ? this : new OtherDue(message, dueMicros + micros);
        }
    }

    /**
     * A message that is a dead letter in Redis and unfinished in the journal.
     *
     * @param sinceMicros time at which it was dead-lettered, by Redis' clock
     */
    record DeadLetter(RecordedMessage message, long sinceMicros) {

        /**
         * Whether it was scheduled again after that, which Redis has lost. A committed reschedule keeps the state's time,
         * that of the recorded dead letter. If Redis' time is the later one, nobody recorded it.
         */
        boolean isRevived() {
            return message.stateMicros() > sinceMicros - SAME_DEAD_LETTER_MICROS;
        }
    }

    /** Compares messages that were unfinished when they were read. Those with changes in the outbox are left to it. */
    Found compare(Survey survey, String topic, List<RecordedMessage> page) {
        Found found = new Found();
        if (page.isEmpty()) {
            return found;
        }
        List<String> ids = page.stream().map(RecordedMessage::id).distinct().toList();
        long dbTime = recorded.now();
        Survey.Page redis = survey.find(ids);
        // after the look at Redis: what was sent meanwhile is gone from the outbox, and Redis has it
        Set<String> unsent = recorded.withOutboxRow(topic, ids);
        Map<String, List<RecordedMessage>> now = recorded.ofIds(topic, ids);
        Map<String, SurveyedMessage> there = redis.messages().stream()
                .collect(Collectors.toMap(
                        SurveyedMessage::id,
                        Function.identity(),
                        // what is left in another partition
                        (first, second) -> first.generation().isEmpty() ? second : first));
        for (RecordedMessage before : page) {
            List<RecordedMessage> uses = now.getOrDefault(before.id(), List.of());
            if (!unsent.contains(before.id()) && isSuperseded(before, uses, there.get(before.id()))) {
                found.superseded().add(before);
                continue;
            }
            Optional<RecordedMessage> present = RecordedMessages.present(uses)
                    .filter(message -> message.generation().equals(before.generation()))
                    .filter(message -> !message.finished() || before.finished());
            SurveyedMessage same = there.get(before.id());
            if (present.isEmpty()) {
                continue;
            }
            if (hasEnded(same, uses) || (unsent.contains(before.id()) && isMissing(present.get(), same))) {
                found.waiting().add(before);
            } else if (!unsent.contains(before.id())) {
                sort(present.get(), same, redis.timeMicros() - dbTime, found);
            }
        }
        if (!found.otherDue().isEmpty() || !found.missing().isEmpty()) {
            // Redis' time was read between these: with the first one, the journal would take over a time that is early
            long passed = recorded.now() - dbTime;
            found.otherDue().replaceAll(other -> other.laterBy(passed));
            found.noteDue(dbTime + passed, redis.timeMicros() + passed);
        }
        return found;
    }

    /** An older dump has a message that gave way since. */
    private static boolean hasEnded(@Nullable SurveyedMessage there, List<RecordedMessage> uses) {
        return there != null
                && uses.stream().anyMatch(use -> use.generation().equals(there.generation()) && use.hasEnded());
    }

    /** One that Redis has is restored, whatever changes of it are still to be sent. */
    private static boolean isMissing(RecordedMessage message, @Nullable SurveyedMessage there) {
        return there == null || there.state() == null || !there.generation().equals(message.generation());
    }

    /** A later message of the id was scheduled when Redis had none: so this one had ended, or was lost. */
    private static boolean isSuperseded(
            RecordedMessage message, List<RecordedMessage> uses, @Nullable SurveyedMessage there) {
        boolean unfinished =
                uses.stream().anyMatch(use -> use.generation().equals(message.generation()) && !use.finished());
        return unfinished
                && (there == null || !there.generation().equals(message.generation()))
                && RecordedMessages.present(uses)
                        .filter(latest -> latest.createdMicros() > message.createdMicros())
                        .filter(latest -> !latest.status().isUnsent())
                        .isPresent();
    }

    private static void sort(
            RecordedMessage message, @Nullable SurveyedMessage there, long redisAheadMicros, Found found) {
        if (there == null) {
            found.missing().add(message);
        } else if (there.generation().isEmpty()) {
            if (there.state() == null) {
                found.missing().add(message);
                found.evicted().add(message.id());
            }
            // else a handler has it: when its lease ends, it is gone or was handled
        } else if (!there.generation().equals(message.generation())) {
            return; // the id is in use by a message that the journal may not know: nobody takes its place
        } else if (there.state() == null) {
            found.missing().add(message);
            found.evicted().add(message.id());
            found.unreachable().put(message.id(), message.generation());
        } else if (there.state() == MessageState.DEAD) {
            found.dead().add(new DeadLetter(message, there.deadSinceMicros()));
        } else if (isPending(there) && there.attempts() == 0) {
            long expected = message.dueIsInstant() ? message.dueMicros() : message.dueMicros() + redisAheadMicros;
            // one that is due on both sides is on its way
            boolean bothDue = there.state() == MessageState.READY && expected <= there.dueMicros() + SAME_DUE_MICROS;
            if (!bothDue && Math.abs(expected - there.dueMicros()) > SAME_DUE_MICROS) {
                found.otherDue().add(new OtherDue(message, there.dueMicros() - (expected - message.dueMicros())));
            }
        }
    }

    private static boolean isPending(SurveyedMessage message) {
        return message.state() == MessageState.SCHEDULED || message.state() == MessageState.READY;
    }

    /** Counts differences. */
    static void count(String topic, Found found, RestoreTally tally) {
        Stream.concat(found.missing().stream(), found.superseded().stream())
                .forEach(message -> tally.found(
                        Kind.ONLY_IN_JOURNAL,
                        topic,
                        message.id(),
                        message.generation(),
                        "journal: " + message.status()));
        found.otherDue()
                .forEach(other -> tally.found(
                        Kind.OTHER_DUE,
                        topic,
                        other.message().id(),
                        other.message().generation(),
                        "due at " + other.message().dueMicros() + " µs, in Redis at " + other.dueMicros() + " µs"));
        found.dead()
                .forEach(letter -> tally.found(
                        Kind.OTHER_STATUS,
                        topic,
                        letter.message().id(),
                        letter.message().generation(),
                        "Redis: DEAD, journal: " + letter.message().status()));
    }
}
