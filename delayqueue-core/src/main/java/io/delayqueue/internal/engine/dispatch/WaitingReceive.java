package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A call that waits for messages. Guarded by the lock of its {@link WaitingReceives}. */
public final class WaitingReceive {

    private final int max;
    private final Consumer<List<InFlightMessage>> answer;
    private @Nullable Future<?> alarm;
    private boolean overdue;

    /**
     * A call.
     *
     * @param max most messages that it takes
     * @param answer takes its messages, none if its wait is over; called once at most, and must not block
     */
    public WaitingReceive(int max, Consumer<List<InFlightMessage>> answer) {
        this.max = max;
        this.answer = answer;
    }

    int max() {
        return max;
    }

    /** Its wait is over, but a claim under way may bring it messages. */
    void setOverdue() {
        overdue = true;
    }

    boolean isOverdue() {
        return overdue;
    }

    void setAlarm(Future<?> alarm) {
        this.alarm = alarm;
    }

    void cancelAlarm() {
        if (alarm != null) {
            alarm.cancel(false);
        }
    }

    /** Call it without the lock. */
    void answer(List<InFlightMessage> messages) {
        answer.accept(messages);
    }
}
