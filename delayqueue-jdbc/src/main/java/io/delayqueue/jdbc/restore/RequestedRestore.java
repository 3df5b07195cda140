package io.delayqueue.jdbc.restore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A restore that an operator asked for. Walks through its topics, and then looks at the differences of all of them again, so that they
 * settle together. A topic that fails is reported, and the others go on. One restore at a time is at a topic, with those that
 * begin by themselves: another one might bring back messages that were handled since.
 */
final class RequestedRestore {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** Topics whose leases are held and renewed together. */
    private static final int MOST_TOPICS = 50;

    private final RestoreContext context;
    private final RestoreRequest request;
    private final boolean dryRun;
    private final RestoreWork work;
    private final Consumer<String> check;
    private final Consumer<String> ended;
    private final List<RestoreLease> leases = new ArrayList<>();
    private long waiting;

    /**
     * A restore that has not begun.
     *
     * @param check is called with each topic first, unless nothing is to be changed
     * @param ended is called with each topic that was restored
     */
    RequestedRestore(
            RestoreContext context,
            RestoreRequest request,
            boolean dryRun,
            RestoreTally tally,
            Consumer<String> check,
            Consumer<String> ended) {
        this.context = context;
        this.request = request;
        this.dryRun = dryRun;
        this.work = new RestoreWork("", new RestorePace(context.settings().rate()), tally, this::keep);
        this.check = check;
        this.ended = ended;
    }

    RestoreWork work() {
        return work;
    }

    private void keep(RestoreProgress progress) {
        if (Thread.currentThread().isInterrupted()) {
            throw new RestoreEndedException("the restore was interrupted; it may be started again");
        }
        leases.forEach(lease -> lease.keep(progress, work.tally.dropped.get()));
    }

    void run(Collection<String> topics) {
        Deque<String> left = new ArrayDeque<>(topics);
        while (!left.isEmpty()) {
            int before = left.size();
            try {
                some(left);
            } finally {
                leases.forEach(RestoreLease::release);
                leases.clear();
            }
            if (left.size() == before) {
                // others are at all that are left
                work.await(TopicRefill.SENT_MEANWHILE);
            }
        }
        work.tally.waiting(waiting);
    }

    /** Restores topics together. Those that others are at come last. */
    private void some(Deque<String> left) {
        List<RequestedTopic> walked = new ArrayList<>();
        int suspicious = 0;
        for (int i = left.size(); i > 0 && walked.size() < MOST_TOPICS && suspicious < SuspiciousMessages.MOST; i--) {
            String name = left.remove();
            if (!tryHold(name)) {
                left.add(name);
                continue;
            }
            RequestedTopic topic = new RequestedTopic(context, name, request, dryRun, work);
            if (succeeds(topic, this::walk)) {
                walked.add(topic);
                suspicious += topic.suspicious();
            }
        }
        finishWalked(walked);
        walked.forEach(topic -> waiting += topic.waiting());
    }

    private boolean tryHold(String topic) {
        if (dryRun) {
            return true;
        }
        RestoreLease lease = RestoreLease.ofRefill(context, topic, () -> false);
        return lease.tryHold() && leases.add(lease);
    }

    private void walk(RequestedTopic topic) {
        if (!dryRun) {
            check.accept(topic.topic());
        }
        topic.walk();
    }

    private void finishWalked(List<RequestedTopic> walked) {
        // ends that were noticed before the first look
        BooleanSupplier written = context.pendingEnds().written();
        work.await(written, ComparisonPass.LONGEST_WAIT_FOR_ENDS);
        each(walked, RequestedTopic::dropEnded);
        each(walked, RequestedTopic::compareSuspiciousAgain);
        for (int i = 0; !dryRun && i < TopicRefill.LOOKS_AT_WAITING; i++) {
            List<RequestedTopic> some =
                    walked.stream().filter(RequestedTopic::isWaiting).toList();
            if (some.isEmpty()) {
                break;
            }
            work.await(TopicRefill.SENT_MEANWHILE);
            each(walked, RequestedTopic::lookAtWaiting);
            each(walked, RequestedTopic::compareSuspiciousAgain);
        }
        each(walked, topic -> {
            topic.end();
            ended.accept(topic.topic());
        });
    }

    private void each(List<RequestedTopic> topics, Consumer<RequestedTopic> step) {
        topics.removeIf(topic -> !succeeds(topic, step));
    }

    private boolean succeeds(RequestedTopic topic, Consumer<RequestedTopic> step) {
        work.topic(topic.topic());
        try {
            step.accept(topic);
            return true;
        } catch (RestoreEndedException e) {
            throw e;
        } catch (RuntimeException e) {
            if (request.topic() != null) {
                throw e;
            }
            work.tally.failed(topic.topic(), String.valueOf(e));
            log.warn(
                    "Restore of topic '{}' failed; the other topics are still restored: {}",
                    topic.topic(),
                    String.valueOf(e));
            return false;
        }
    }
}
