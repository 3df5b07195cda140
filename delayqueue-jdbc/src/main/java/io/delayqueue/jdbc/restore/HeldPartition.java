package io.delayqueue.jdbc.restore;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** The claims of a partition, of one consumer, until they may begin. Safe for use by several threads. */
final class HeldPartition {

    private enum State {
        NEW,
        ASKED,
        TO_ASK_AGAIN
    }

    final String topic;
    final int partition;
    private final CompletableFuture<Void> open = new CompletableFuture<>();
    private final AtomicBoolean lost = new AtomicBoolean();
    private volatile State state = State.NEW;

    HeldPartition(String topic, int partition) {
        this.topic = topic;
        this.partition = partition;
    }

    /** Completes when claims may begin. */
    CompletableFuture<Void> whenOpen() {
        return open;
    }

    /** Lets claims begin; false if they might before. */
    boolean open() {
        return open.complete(null);
    }

    boolean isNew() {
        return state == State.NEW;
    }

    /** Whether no server is being asked for it already. */
    boolean beginLook() {
        boolean begins = state != State.ASKED;
        state = State.ASKED;
        return begins;
    }

    void askAgain() {
        state = State.TO_ASK_AGAIN;
    }

    /** A look found a loss; false if one did before. */
    boolean becomesLost() {
        return lost.compareAndSet(false, true);
    }

    /** Whether messages that ended may be there again, as a look found. */
    boolean isLost() {
        return lost.get();
    }
}
