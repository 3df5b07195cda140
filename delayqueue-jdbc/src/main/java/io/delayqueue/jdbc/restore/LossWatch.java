package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.relay.OutboxListener;
import io.delayqueue.jdbc.relay.SentChange;
import io.delayqueue.jdbc.restore.JournalRestore.Outcome;
import io.delayqueue.jdbc.support.JournalLoop;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether Redis lost data. Looks at all topics in use now and then, and at one topic at once when the outbox meets another epoch or
 * claims are held. One thread removes what came back, for which claims wait; others schedule again what is missing, which takes longer, and
 * one of these compares while nothing is. A topic that fails is tried again, and holds up no other. Keeps the marks of what was sent.
 */
public final class LossWatch implements OutboxListener, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    private static final Duration ELSEWHERE_PAUSE = Duration.ofSeconds(1);

    /** A refill waits for changes of the outbox, which may wait for somebody to unblock them. */
    private static final Duration REFILL_AGAIN = Duration.ofSeconds(10);

    /** Topics that are refilled at once: a refill that waits for its second looks is to hold up no other. Each needs memory for these. */
    private static final int REFILLS = 4;

    private final JournalRestore restore;
    private final SeenMarks seen;
    private final TopicsToDo lost = new TopicsToDo();

    /** Topics whose claims are held, or whose changes met another epoch: they come before the others, of which one may be silent. */
    private final Set<String> asked = ConcurrentHashMap.newKeySet();

    private final TopicsToDo toRefill = new TopicsToDo();

    /** Topics whose refill was begun and is not done. */
    private final Set<String> repeated = ConcurrentHashMap.newKeySet();

    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    private final ComparisonRounds rounds;
    private final JournalLoop losses = new JournalLoop("delayqueue-restore", this::lookForLosses);
    private final JournalLoop comparing = new JournalLoop("delayqueue-refill", this::refillOrCompare);
    private final List<JournalLoop> refilling = IntStream.range(1, REFILLS)
            .mapToObj(number -> new JournalLoop("delayqueue-refill-" + number, this::refill))
            .toList();
    private boolean lookedAtAll;

    /** A watch that is not started. */
    public LossWatch(JournalRestore restore, SeenMarks seen) {
        this.restore = restore;
        this.seen = seen;
        // as long as a topic that is lost, or that another instance is at, waits for the next look
        RestoreSettings settings = restore.settings();
        this.rounds = new ComparisonRounds(
                restore::topics, restore.nextComparison(), settings.compareInterval(), settings.checkInterval());
    }

    /** Starts the threads, unless the mode is {@link RestoreMode#OFF}. */
    public void start() {
        if (!isOff()) {
            lost.allAfter(Duration.ZERO);
            losses.start();
            comparing.start();
            refilling.forEach(JournalLoop::start);
        }
    }

    private boolean isOff() {
        return restore.settings().mode() == RestoreMode.OFF;
    }

    /** Whether the threads run. */
    public boolean isRunning() {
        return losses.isRunning();
    }

    /** Ends the threads; a restore that runs is left to another instance. */
    @Override
    public void close() {
        // the others look at it, too
        comparing.close();
        refilling.forEach(JournalLoop::close);
        losses.close();
    }

    /** Looks at a topic soon, before those that nobody asked for. */
    void check(String topic) {
        asked.add(topic);
        lost.add(topic, Duration.ZERO);
    }

    /** Answers of another epoch than the journal expects: Redis may have lost them, or what came before. */
    @Override
    public Set<PartitionMark> doubtful(Set<PartitionMark> marks) {
        if (isOff()) {
            return Set.of();
        }
        Set<PartitionMark> doubtful = seen.doubtful(marks);
        doubtful.forEach(mark -> check(mark.topic()));
        return doubtful;
    }

    /** Keeps the marks with what was sent. */
    @Override
    public void sent(List<SentChange> changes, List<PartitionMark> marks) {
        if (!isOff()) {
            seen.writeSent(marks);
        }
    }

    private void lookForLosses() throws InterruptedException {
        if (lost.isTimeForAll()) {
            lost.allAfter(restore.settings().checkInterval());
            topicsToLookAt().forEach(topic -> lost.add(topic, Duration.ZERO));
        }
        lost.doNext(asked::contains, topic -> {
            asked.remove(topic);
            if (restore.check(topic) && restore.settings().mode() == RestoreMode.AUTOMATIC) {
                if (restore.isToRefill(topic)) {
                    toRefill.add(topic, repeated.contains(topic) ? REFILL_AGAIN : Duration.ZERO);
                }
                if (restore.removeRevived(topic, losses::isClosed) == Outcome.AGAIN) {
                    lost.add(topic, ELSEWHERE_PAUSE);
                }
            }
        });
    }

    /** Comparisons look at the others. */
    private List<String> topicsToLookAt() {
        boolean isCompared = !restore.settings().compareInterval().isZero();
        List<String> topics = lookedAtAll && isCompared ? restore.topicsInUse() : restore.topics();
        lookedAtAll = true;
        return topics;
    }

    private void refillOrCompare() throws InterruptedException {
        String topic = isNewLossDue() ? null : rounds.nextTopic();
        if (topic != null) {
            compare(topic);
            if (!toRefill.isDue(any -> true)) {
                return;
            }
        }
        refill();
    }

    private void refill() throws InterruptedException {
        // losses that are new come before those that wait for somebody
        toRefill.doNext(topic -> !repeated.contains(topic), topic -> {
            if (!underWay.add(topic)) {
                toRefill.add(topic, ELSEWHERE_PAUSE);
                return;
            }
            try {
                refill(topic);
            } finally {
                underWay.remove(topic);
            }
        });
    }

    private void refill(String topic) {
        // until it is done, it lets other topics be refilled
        boolean yields = !repeated.add(topic);
        if (restore.refill(topic, () -> comparing.isClosed() || (yields && isNewLossDue())) == Outcome.AGAIN) {
            // another instance that refills the topic may die
            toRefill.add(topic, REFILL_AGAIN);
        } else {
            repeated.remove(topic);
        }
    }

    private boolean isNewLossDue() {
        return toRefill.isDue(topic -> !repeated.contains(topic));
    }

    private void compare(String topic) {
        boolean done = false;
        try {
            done = restore.compare(topic, () -> comparing.isClosed() || isNewLossDue()) != Outcome.AGAIN;
            if (!done) {
                lost.add(topic, Duration.ZERO);
            }
        } catch (RestoreEndedException e) {
            lost.add(topic, Duration.ZERO);
            log.info("The comparison of topic '{}' ended before it was done: {}", topic, e.getMessage());
        } finally {
            if (!done) {
                rounds.endedEarly(topic);
            }
        }
    }
}
