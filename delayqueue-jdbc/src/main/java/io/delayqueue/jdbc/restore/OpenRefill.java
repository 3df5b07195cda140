package io.delayqueue.jdbc.restore;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A refill of a topic that is repeated until nothing is left to the outbox. Keeps its counts, the partitions whose messages were all looked
 * at, and the messages that are left. Is used under the lease for the topic's refill.
 */
final class OpenRefill {

    private final RestoreTally tally;

    /** Epochs of the losses that it was for. */
    private final Set<String> epochs = new HashSet<>();

    private final Map<Integer, String> walked = new HashMap<>();
    private List<RecordedMessage> left = List.of();

    OpenRefill(RestoreTally tally) {
        this.tally = tally;
    }

    RestoreTally tally() {
        return tally;
    }

    /** Whether one of these losses is among those that it was for, if it has begun; the counts of others are not to be told again. */
    boolean isOf(Collection<String> losses) {
        return epochs.isEmpty() || losses.stream().anyMatch(epochs::contains);
    }

    /** Those of the lost partitions whose messages were not all looked at, by this process. */
    Map<Integer, String> toWalk(Map<Integer, String> lost) {
        epochs.addAll(lost.values());
        walked.entrySet().retainAll(lost.entrySet());
        Map<Integer, String> rest = new HashMap<>(lost);
        rest.entrySet().removeAll(walked.entrySet());
        return rest;
    }

    /** Partitions of which nothing but {@link #left} is to be looked at again. */
    Map<Integer, String> walked() {
        return walked;
    }

    /** Messages to be looked at again. */
    List<RecordedMessage> left() {
        return left;
    }

    /**
     * Keeps the messages that a pass left to the outbox.
     *
     * @param partitions that were walked through
     * @param complete whether there are no others from before
     */
    void keep(ComparisonPass pass, Map<Integer, String> partitions, boolean complete) {
        left = pass.waiting();
        tally.waiting(left.size());
        if (complete && pass.waitingIsComplete()) {
            walked.putAll(partitions);
        } else {
            walked.clear();
        }
    }
}
