package io.delayqueue.model;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message in the model. */
final class ModelMessage {

    enum State {
        PENDING,
        LEASED,
        DEAD
    }

    /** Two schedulings are the same call if they are the same object. */
    final OutgoingMessage sent;

    final ScheduleOutcome firstAnswer;
    State state = State.PENDING;
    int failedAttempts;
    /** Leases that expired in a row, as far as they count; from 2 on it is a suspect. */
    int suspicion;

    /** The deadline of its lease. */
    long receipt;

    /** An earlier receipt that an extension kept; 0 for none. */
    private long keptReceipt;

    @Nullable
    String error;

    /** The due time: a window until it is looked up, since Redis adds delays to its own clock. */
    private TimeWindow due;

    private @Nullable Long pinnedDue;

    ModelMessage(OutgoingMessage sent, ScheduleOutcome firstAnswer, TimeWindow due) {
        this.sent = sent;
        this.firstAnswer = firstAnswer;
        this.due = due;
    }

    void dueAgain(TimeWindow window) {
        state = State.PENDING;
        due = window;
        pinnedDue = null;
    }

    boolean isSuspect() {
        return suspicion >= 2;
    }

    void lease(long newReceipt) {
        state = State.LEASED;
        receipt = newReceipt;
        keptReceipt = 0;
    }

    /** Its lease ends at another time, and the receipt that was shown for it stays good. */
    void extendKeeping(long shownReceipt, long deadline) {
        lease(deadline);
        keptReceipt = shownReceipt;
    }

    void deadLetter(String reason) {
        state = State.DEAD;
        error = reason;
    }

    TimeWindow dueWindow() {
        return due;
    }

    /** Takes the due time that Redis shows for the exact one. */
    void pinDue(long micros) {
        pinnedDue = micros;
    }

    boolean isPinned() {
        return pinnedDue != null;
    }

    long dueMicros() {
        return Objects.requireNonNull(pinnedDue, "looked up after each step");
    }

    boolean isHeldBy(long someReceipt) {
        return state == State.LEASED && (receipt == someReceipt || keptReceipt == someReceipt);
    }

    boolean isExpiredAt(long nowMicros) {
        var timeToLive = sent.timeToLive();
        return timeToLive != null && nowMicros >= dueMicros() + timeToLive.toNanos() / 1000;
    }

    int allowedAttempts(int byConsumer) {
        Integer own = sent.maxAttempts();
        return own != null ? own : byConsumer;
    }
}
