package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.JournalLoop;
import io.delayqueue.jdbc.relay.OutboxListener;
import io.delayqueue.jdbc.relay.SentChange;
import io.delayqueue.jdbc.restore.JournalRestore.Outcome;
import java.time.Duration;
import java.util.List;

/**
 * Looks whether Redis lost data: of all topics now and then, and of a topic at once when the outbox meets another epoch or claims are
 * held. One thread removes what came back, for which claims wait; another one schedules again what is missing, which takes longer. A topic
 * that fails is tried again, and holds up no other. Keeps the marks of what was sent.
 */
public final class LossWatch implements OutboxListener, AutoCloseable {

    private static final Duration ELSEWHERE_PAUSE = Duration.ofSeconds(1);

    private final JournalRestore restore;
    private final SeenMarks seen;
    private final TopicsToDo lost = new TopicsToDo();
    private final TopicsToDo toRefill = new TopicsToDo();
    private final JournalLoop losses = new JournalLoop("delayqueue-restore", this::lookForLosses);
    private final JournalLoop refills = new JournalLoop("delayqueue-refill", this::refillAndCompare);
    private long comparedNanos;

    /** A watch that is not started. */
    public LossWatch(JournalRestore restore, SeenMarks seen) {
        this.restore = restore;
        this.seen = seen;
    }

    /** Starts the threads, unless the mode is {@link RestoreMode#OFF}. */
    public void start() {
        if (restore.settings().mode() != RestoreMode.OFF) {
            lost.allAfter(Duration.ZERO);
            comparedNanos = System.nanoTime();
            losses.start();
            refills.start();
        }
    }

    /** Whether the threads run. */
    public boolean isRunning() {
        return losses.isRunning();
    }

    /** Ends the threads; a restore that runs is left to another instance. */
    @Override
    public void close() {
        refills.close();
        losses.close();
    }

    /** Looks at a topic soon. */
    void check(String topic) {
        lost.add(topic, Duration.ZERO);
    }

    /** Keeps the marks with what was sent, and looks at partitions that have another epoch than before. */
    @Override
    public void sent(List<SentChange> changes, List<PartitionMark> marks) {
        marks.stream().filter(seen::isNewEpoch).map(PartitionMark::topic).forEach(this::check);
        seen.writeSent(marks);
    }

    private void lookForLosses() throws InterruptedException {
        if (lost.isTimeForAll()) {
            lost.allAfter(restore.settings().checkInterval());
            restore.topics().forEach(topic -> lost.add(topic, Duration.ZERO));
        }
        lost.doNext(topic -> {
            Outcome outcome = restore.removeRevived(topic, losses::isClosed);
            if (outcome == Outcome.DONE) {
                toRefill.add(topic, Duration.ZERO);
            }
            return true;
        });
    }

    private void refillAndCompare() throws InterruptedException {
        Duration interval = restore.settings().compareInterval();
        if (!interval.isZero() && System.nanoTime() - comparedNanos >= interval.toNanos()) {
            comparedNanos = System.nanoTime();
            for (String topic : restore.topics()) {
                TopicsToDo.guarded(topic, each -> {
                    restore.compare(each, refills::isClosed);
                    return true;
                });
            }
        }
        // another instance that refills the topic may die
        toRefill.doNext(topic -> {
            boolean done = restore.refill(topic, refills::isClosed) != Outcome.ELSEWHERE;
            if (!done) {
                toRefill.add(topic, ELSEWHERE_PAUSE);
            }
            return done;
        });
    }
}
