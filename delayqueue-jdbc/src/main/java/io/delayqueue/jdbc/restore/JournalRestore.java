package io.delayqueue.jdbc.restore;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.support.JournalDatabase;
import java.time.Duration;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares Redis with the journal, and schedules messages again that are unfinished in the journal and missing in Redis. It does so when it
 * is asked to, and driven by {@link LossWatch}, which leaves the leases and the progress to it. Safe while everything runs, by several
 * callers and instances at once, and again after any of them died: it never clears, and never deletes a message that the journal does not
 * know. Safe for use by several threads.
 */
public final class JournalRestore {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    private static final long IDLE_MICROS = TimeUnit.DAYS.toMicros(1);

    private final RestoreContext context;
    private final RestorePace pace;
    private final Consumer<Object> events;
    private final AtomicLong restored = new AtomicLong();
    private final OpenLosses open = new OpenLosses();
    private final Map<String, OpenRefill> refills = new ConcurrentHashMap<>();
    private final Deque<RestoreWork> running = new ConcurrentLinkedDeque<>();
    private final UnansweredLog unanswered = new UnansweredLog();

    /**
     * Restores from a journal.
     *
     * @param client has the topics
     * @param seen marks that this instance saw
     * @param ends of messages that are on their way to the journal
     * @param events gets {@link RedisLossDetectedEvent}s and {@link RestoreFinishedEvent}s, on the thread that restores
     */
    public JournalRestore(
            DelayQueueClient client,
            JournalDatabase database,
            SeenMarks seen,
            PendingEnds ends,
            RestoreSettings settings,
            Consumer<Object> events) {
        this.context = RestoreContext.of(client, database, seen, ends, settings);
        this.pace = new RestorePace(settings.rate());
        this.events = events;
    }

    /**
     * Compares messages of Redis and journal, and repairs the differences. Unfinished messages that Redis does not have are scheduled
     * again, with their attempts reset; messages that are finished in the journal are deleted from Redis; other due times are corrected.
     * Messages that only Redis has stay. Dead letters are not restored unless asked for by id.
     *
     * <p>Blocks until all is compared, at the rate of {@link RestoreSettings#rate()}. A difference counts if it is found twice,
     * {@link RestoreSettings#settleTime()} apart. An ack that the journal did not record yet, or never will as a process died, makes a
     * message one to be restored: only idempotent listeners close that. A loss of Redis is repaired when its whole topic was restored, and
     * {@linkplain RestoreReport#waiting() no message} was left to the outbox. Calls may overlap: each waits for a topic that another
     * restore is at. If the request names no topic, one that fails is {@linkplain RestoreReport#failures() reported}, and the others are
     * restored.
     *
     * @param request which messages
     * @param dryRun whether to report the differences only
     * @return the differences and changes; messages that are scheduled again are in Redis shortly after
     * @throws io.delayqueue.DelayQueueException if Redis fails
     * @throws org.springframework.dao.DataAccessException if the database fails
     * @throws RestoreEndedException if the thread is interrupted, or stood still for so long that another restore began
     */
    public RestoreReport restore(RestoreRequest request, boolean dryRun) {
        RestoreTally tally = new RestoreTally(restored);
        String only = request.topic();
        RequestedRestore run = new RequestedRestore(context, request, dryRun, tally, this::check, this::isLost);
        running.add(run.work());
        try {
            run.run(only == null ? topics() : List.of(only));
        } finally {
            running.remove(run.work());
        }
        return tally.report(dryRun);
    }

    /** Progress of the restore or comparison that has been running in this process for the longest time. */
    public RestoreProgress progress() {
        RestoreWork work = running.peek();
        return work == null ? RestoreProgress.NONE : work.progress();
    }

    /** Messages that this process scheduled again, or will through the outbox, since it started. */
    public long restored() {
        return restored.get();
    }

    /** Losses that are not repaired yet, by whichever instance they were noticed, as of this process' last look; up to 100. */
    public List<RedisLossDetectedEvent> losses() {
        return open.all();
    }

    private TopicRestore of(String topic) {
        return new TopicRestore(context, topic);
    }

    /**
     * Whether partitions of a topic must not be claimed now. Reads the journal, and asks the partitions' servers without waiting for them.
     */
    Map<Integer, CompletionStage<Boolean>> holdsClaims(String topic, Collection<Integer> partitions) {
        return of(topic).holdsClaims(partitions);
    }

    /** How far the removal of what came back is, of a topic that Redis lost data of, by whichever instance does it. */
    RemovalProgress removal(String topic) {
        return RestoreLease.ofRemoval(context, topic, () -> false).removal();
    }

    /** The result of work that one instance at a time does. */
    enum Outcome {
        /** Nothing was to be done. */
        NOTHING,
        /** It is done. */
        DONE,
        /** Another instance is at it, or it has to be repeated. */
        AGAIN
    }

    /**
     * Checks whether Redis lost data of a topic, and records it.
     *
     * @return whether something is left to be removed or refilled, after a loss of this check or an earlier one
     */
    boolean check(String topic) {
        TopicRestore restore = of(topic);
        TopicRestore.Check check = restore.check();
        restore.recordLosses(check.findings(), this::lost);
        unanswered.tell(topic, check.failures());
        Map<Integer, KnownPartition> known = context.known().of(topic);
        open.found(topic, known);
        // a refill may end before the removal, whose instance may die
        return known.values().stream().anyMatch(KnownPartition::isLost);
    }

    /** Whether a topic was to be refilled at the last check. */
    boolean isToRefill(String topic) {
        return !open.epochs(topic).isEmpty();
    }

    /** Whether a topic is to be refilled, which is told from now on. */
    private boolean isLost(String topic) {
        return open.found(topic, context.known().of(topic));
    }

    private void lost(RedisLossDetectedEvent event) {
        log.warn("Redis lost data of topic '{}', partition {}: {}", event.topic(), event.partition(), event.loss());
        events.accept(event);
    }

    /** Deletes what came back and ended, of a topic that Redis lost data of. Then claims go on. */
    Outcome removeRevived(String topic, BooleanSupplier stopping) {
        return underLease(RestoreLease.ofRemoval(context, topic, stopping), topic, new RestoreTally(restored), work -> {
            of(topic).removeRevived(work);
            return Outcome.DONE;
        });
    }

    /** Schedules unfinished messages of a topic again that Redis lost. */
    Outcome refill(String topic, BooleanSupplier stopping) {
        isLost(topic);
        OpenRefill refill = refills.compute(
                topic,
                (name, present) -> present != null && present.isOf(open.epochs(topic))
                        ? present
                        : new OpenRefill(new RestoreTally(restored)));
        return underLease(RestoreLease.ofRefill(context, topic, stopping), topic, refill.tally(), work -> {
            check(topic);
            if (!isToRefill(topic)) {
                refills.remove(topic);
                return Outcome.NOTHING;
            }
            Outcome outcome = new TopicRefill(context, topic, work).run(refill, open.age(topic));
            if (outcome == Outcome.DONE) {
                refills.remove(topic);
                finished(topic, work);
            }
            // if there is nothing to do, another server lost data, which another instance may talk to
            return isLost(topic) || outcome != Outcome.DONE ? Outcome.AGAIN : Outcome.DONE;
        });
    }

    /**
     * Compares all messages of a topic, and repairs the differences if the mode says so; not if any instance did so within
     * {@link RestoreSettings#compareInterval()}.
     */
    Outcome compare(String topic, BooleanSupplier stopping) {
        Duration interval = context.settings().compareInterval();
        LastComparison last = new LastComparison(context, topic);
        if (last.isRecent(interval)) {
            return Outcome.NOTHING;
        }
        return underLease(RestoreLease.ofRefill(context, topic, stopping), topic, new RestoreTally(restored), work -> {
            if (last.isRecent(interval)) {
                // another instance ended one before this one had the lease
                return Outcome.NOTHING;
            }
            Outcome outcome = compareSince(last, topic, work);
            if (outcome != Outcome.AGAIN) {
                last.end(interval);
            }
            return outcome;
        });
    }

    private Outcome compareSince(LastComparison last, String topic, RestoreWork work) {
        boolean dryRun = context.settings().mode() != RestoreMode.AUTOMATIC;
        Optional<Long> lostKeys = new TopicComparison(context, topic).run(work, dryRun, last.lostKeys());
        if (lostKeys.isEmpty()) {
            return Outcome.AGAIN;
        }
        if (!dryRun) {
            // else the next one has to repair what this one found
            last.note(lostKeys.get());
        }
        RestoreReport report = work.tally.report(dryRun);
        if (report.count(Difference.Kind.ONLY_IN_JOURNAL)
                        + report.count(Difference.Kind.OTHER_DUE)
                        + report.count(Difference.Kind.OTHER_STATUS)
                == 0) {
            return Outcome.NOTHING;
        }
        finished(topic, work);
        return Outcome.DONE;
    }

    /** Tells of work that did something. */
    private void finished(String topic, RestoreWork work) {
        RestoreReport report = work.tally.report(context.settings().mode() != RestoreMode.AUTOMATIC);
        log.info("Topic '{}' was compared with the journal: {}", topic, report);
        events.accept(new RestoreFinishedEvent(topic, report));
    }

    /** Does work. */
    private interface Work {
        Outcome run(RestoreWork work);
    }

    private Outcome underLease(RestoreLease lease, String topic, RestoreTally tally, Work task) {
        if (!lease.tryHold()) {
            return Outcome.AGAIN;
        }
        RestoreWork work = new RestoreWork(topic, pace, tally, progress -> lease.keep(progress, tally.dropped.get()));
        running.add(work);
        try {
            return task.run(work);
        } finally {
            running.remove(work);
            lease.release();
        }
    }

    /** Topics that the journal has partitions or unfinished messages of. */
    List<String> topics() {
        return topics(Long.MIN_VALUE);
    }

    /** Those of them that have unfinished messages, or whose partitions changed within a day: the others have nothing to lose. */
    List<String> topicsInUse() {
        return topics(context.recorded().now() - IDLE_MICROS);
    }

    private List<String> topics(long sinceMicros) {
        RecordedTopics topics = RecordedTopics.read(context);
        Set<String> present = topics.all();
        open.retain(present);
        refills.keySet().retainAll(present);
        context.seen().retain(present);
        return topics.inUse(sinceMicros);
    }

    /** When all topics are to be compared. */
    NextComparison nextComparison() {
        return context.nextComparison();
    }

    /** How losses are repaired. */
    public RestoreSettings settings() {
        return context.settings();
    }
}
