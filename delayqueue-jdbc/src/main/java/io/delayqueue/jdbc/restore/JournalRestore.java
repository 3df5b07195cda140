package io.delayqueue.jdbc.restore;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.Survey;
import io.delayqueue.jdbc.JournalDatabase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Compares Redis with the journal, and schedules again what is unfinished in the journal and missing in Redis. Safe while everything runs,
 * by several callers and instances at once, and again after any of them died: it never clears, and never deletes a message that the journal
 * does not know. Safe for use by several threads.
 */
public final class JournalRestore {

    private final RestoreContext context;
    private final RestoreListener listener;
    private final AtomicLong restored = new AtomicLong();
    private final Set<RedisLossDetectedEvent> open = ConcurrentHashMap.newKeySet();
    private volatile @Nullable RestoreWork running;

    /**
     * Restores from a journal.
     *
     * @param client has the topics
     * @param seen marks that this instance saw
     * @param listener is told of what its own looks find
     */
    public JournalRestore(
            DelayQueueClient client,
            JournalDatabase database,
            SeenMarks seen,
            RestoreSettings settings,
            RestoreListener listener) {
        this.context = RestoreContext.of(client, database, seen, settings);
        this.listener = listener;
    }

    /**
     * Compares messages of Redis and journal, and repairs the differences: unfinished messages that Redis does not have are scheduled
     * again, with attempts counted anew; messages that are finished in the journal are deleted from Redis; other due times are corrected.
     * Messages that only Redis has stay. Dead letters are not restored unless asked for by id.
     *
     * <p>Blocks until all is compared, at the rate of {@link RestoreSettings#rate()}. A difference counts if it is found twice,
     * {@link RestoreSettings#settleTime()} apart. An ack that the journal did not record yet, or never will as a process died, makes a
     * message one to be restored: only idempotent listeners close that.
     *
     * @param request which messages
     * @param dryRun whether only to tell the differences
     * @return what was found and done; what is scheduled again is in Redis shortly after
     * @throws io.delayqueue.DelayQueueException if Redis fails
     * @throws org.springframework.dao.DataAccessException if the database fails
     * @throws RestoreEndedException if the thread is interrupted
     */
    public RestoreReport restore(RestoreRequest request, boolean dryRun) {
        RestoreTally tally = new RestoreTally();
        String topic = request.topic();
        for (String each : topic == null ? topics() : List.of(topic)) {
            RestoreWork work = new RestoreWork(each, context.settings().rate(), tally, progress -> interruptible());
            running = work;
            try {
                restore(request, each, dryRun, work);
            } finally {
                running = null;
            }
        }
        restored.addAndGet(tally.restored.get());
        return tally.report(dryRun);
    }

    private void restore(RestoreRequest request, String topic, boolean dryRun, RestoreWork work) {
        Survey survey = context.client().survey(topic);
        Repairs repairs = new Repairs(context, topic, survey, work.tally);
        ComparisonPass pass = new ComparisonPass(
                context, topic, survey, work, context.settings().settleTime(), dryRun ? found -> 0 : repairs::restore);
        String id = request.id();
        if (id != null) {
            restoreOne(topic, id, dryRun, survey, pass, work.tally);
            return;
        }
        pass.run(request.onlyOverdue() ? context.recorded().now() : Long.MAX_VALUE);
        if (!request.onlyOverdue()) {
            dropEnded(survey, topic, dryRun, work);
        }
    }

    private void restoreOne(
            String topic, String id, boolean dryRun, Survey survey, ComparisonPass pass, RestoreTally tally) {
        Optional<RecordedMessage> present = RecordedMessages.present(
                context.recorded().ofIds(topic, List.of(id)).getOrDefault(id, List.of()));
        if (present.isEmpty() || present.get().hasEnded()) {
            return;
        }
        RecordedMessage message = present.get();
        if (!message.status().equals(RecordedMessage.DEAD)) {
            if (RecordedMessages.UNFINISHED.contains(message.status())) {
                pass.run(List.of(message));
            }
            return;
        }
        tally.scanned.incrementAndGet();
        if (survey.find(List.of(id)).messages().isEmpty()) {
            tally.found(Difference.Kind.ONLY_IN_JOURNAL, topic, id, message.generation(), "journal: DEAD");
            if (!dryRun) {
                tally.restored.addAndGet(context.outbox().redrive(topic, message));
            }
        }
    }

    private void dropEnded(Survey survey, String topic, boolean dryRun, RestoreWork work) {
        RevivedMessages revived = new RevivedMessages(context.recorded());
        int partitions = survey.marks().size();
        for (int partition = 0; partition < partitions; partition++) {
            revived.dropFrom(survey, topic, partition, dryRun, work.tally, () -> work.step(0, () -> 0));
        }
    }

    private static void interruptible() {
        if (Thread.currentThread().isInterrupted()) {
            throw new RestoreEndedException("the restore was interrupted; it may be started again");
        }
    }

    /** How far the restore is that runs in this process. */
    public RestoreProgress progress() {
        RestoreWork work = running;
        return work == null ? RestoreProgress.NONE : work.progress();
    }

    /** Messages that this process scheduled again, or will through the outbox, since it started. */
    public long restored() {
        return restored.get();
    }

    /** Losses that this process knows of and that were not repaired yet, up to 100. */
    public List<RedisLossDetectedEvent> losses() {
        return open.stream().limit(100).toList();
    }

    /** What the mark of a partition says; whether its claims may go on. */
    boolean mayClaim(String topic, int partition) {
        Survey survey = context.client().survey(topic);
        return new LossDetector(context.known(), context.seen())
                .look(topic, survey::marks).stream()
                        .filter(finding -> finding.mark().partition() == partition)
                        .allMatch(finding -> finding.loss() == Loss.NONE);
    }

    /** What became of work that one instance at a time does. */
    enum Outcome {
        /** Nothing was to be done. */
        NOTHING,
        /** It is done. */
        DONE,
        /** Another instance is at it. */
        ELSEWHERE
    }

    /**
     * Looks whether Redis lost data of a topic, and if the mode says so, deletes what came back and ended. Then claims go on.
     *
     * @return {@link Outcome#DONE} if {@link #refill} is to follow
     */
    Outcome removeRevived(String topic, BooleanSupplier stopping) {
        return underLease("restore:", topic, stopping, work -> {
            Set<RedisLossDetectedEvent> found = new HashSet<>();
            boolean refill = new LossRepair(context, topic, work).removeRevived(event -> {
                found.add(event);
                if (open.add(event)) {
                    listener.lossDetected(event);
                }
            });
            open.removeIf(event -> event.topic().equals(topic) && (!found.contains(event) || refill));
            return refill;
        });
    }

    /** Schedules unfinished messages of a topic again that Redis lost. */
    Outcome refill(String topic, BooleanSupplier stopping) {
        return underLease(
                "refill:", topic, stopping, work -> finished(work, new LossRepair(context, topic, work).refill()));
    }

    /** Compares all messages of a topic, and repairs the differences if the mode says so. One instance at a time does so. */
    Outcome compare(String topic, BooleanSupplier stopping) {
        return underLease("refill:", topic, stopping, work -> {
            Survey survey = context.client().survey(topic);
            Repairs repairs = new Repairs(context, topic, survey, work.tally);
            boolean repairing = context.settings().mode() == RestoreMode.AUTOMATIC;
            new ComparisonPass(
                            context,
                            topic,
                            survey,
                            work,
                            context.settings().settleTime(),
                            repairing ? repairs::restoreUnlessEnded : found -> 0)
                    .run(Long.MAX_VALUE);
            dropEnded(survey, topic, !repairing, work);
            RestoreReport report = work.tally.report(!repairing);
            return finished(
                    work,
                    report.count(Difference.Kind.ONLY_IN_JOURNAL)
                                    + report.count(Difference.Kind.OTHER_DUE)
                                    + report.count(Difference.Kind.OTHER_STATUS)
                            > 0);
        });
    }

    /** Tells of work that did something. */
    private boolean finished(RestoreWork work, boolean any) {
        if (any) {
            restored.addAndGet(work.tally.restored.get());
            listener.restoreFinished(new RestoreFinishedEvent(
                    work.tally.report(context.settings().mode() != RestoreMode.AUTOMATIC)));
        }
        return any;
    }

    /** Does work; whether there was any. */
    private interface Work {
        boolean run(RestoreWork work);
    }

    private Outcome underLease(String kind, String topic, BooleanSupplier stopping, Work task) {
        RestoreLease lease = new RestoreLease(context, kind, topic, stopping);
        if (!lease.tryHold()) {
            return Outcome.ELSEWHERE;
        }
        RestoreWork work = new RestoreWork(topic, context.settings().rate(), new RestoreTally(), lease::keep);
        running = work;
        try {
            return task.run(work) ? Outcome.DONE : Outcome.NOTHING;
        } finally {
            running = null;
            lease.release();
        }
    }

    /** Topics that the journal has partitions or unfinished messages of. */
    List<String> topics() {
        Set<String> topics = new TreeSet<>();
        List<String> page = List.of("");
        do {
            page = context.known().topicsAfter(page.get(page.size() - 1), 500);
            topics.addAll(page);
        } while (!page.isEmpty());
        for (String status : RecordedMessages.UNFINISHED) {
            Optional<String> next = context.recorded().topicAfter("", status);
            while (next.isPresent()) {
                topics.add(next.get());
                next = context.recorded().topicAfter(next.get(), status);
            }
        }
        return new ArrayList<>(topics);
    }

    /** How losses are repaired. */
    public RestoreSettings settings() {
        return context.settings();
    }
}
