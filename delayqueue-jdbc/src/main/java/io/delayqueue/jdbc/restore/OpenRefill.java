package io.delayqueue.jdbc.restore;

import java.util.List;
import java.util.Map;

/**
 * A refill of a topic that is repeated until nothing is left to the outbox: its counts, and the messages that are left. Is used under the
 * lease for the topic's refill.
 */
final class OpenRefill {

    private final RestoreTally tally;
    private Map<Integer, String> lost = Map.of();
    private List<RecordedMessage> left = List.of();
    private boolean walked;

    OpenRefill(RestoreTally tally) {
        this.tally = tally;
    }

    RestoreTally tally() {
        return tally;
    }

    /** Begins anew if Redis lost more since. */
    void begin(Map<Integer, String> partitions) {
        if (!partitions.equals(lost)) {
            lost = Map.copyOf(partitions);
            walked = false;
        }
    }

    /** Whether all messages were looked at, and only some are left. */
    boolean isWalked() {
        return walked;
    }

    /** Messages to be looked at again. */
    List<RecordedMessage> left() {
        return left;
    }

    /**
     * Keeps the messages that a pass left to the outbox.
     *
     * @param complete whether there are no others from before
     */
    void keep(ComparisonPass pass, boolean complete) {
        left = pass.waiting();
        walked = complete && pass.waitingIsComplete();
        tally.waiting(left.size());
    }

    boolean isDone() {
        return walked && left.isEmpty();
    }
}
