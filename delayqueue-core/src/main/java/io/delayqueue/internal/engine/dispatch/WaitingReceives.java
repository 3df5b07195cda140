package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The calls of one pull consumer that wait for messages, none of which has a thread. As many messages are claimed as the calls take. The
 * call that has waited longest gets due messages, as many as it takes, the next one gets the rest. Thread-safe.
 */
public final class WaitingReceives implements MessageSlots {

    /** Of the messages that calls take, one in this many, and one at least, is not claimed early: others may be due at once. */
    private static final int KEPT_DIVISOR = 4;

    private final DueQueue dueQueue;
    private final ScheduledExecutorService timer;
    private final ReceiveOwner owner;
    private final int maxWaiting;
    private final ReentrantLock lock = new ReentrantLock();
    /** One object, since {@link DueQueue#remove} compares it. */
    private final Consumer<InFlightMessage> whenDue = this::becameDue;

    private final ReceiveQueue queue = new ReceiveQueue();
    private int reserved;
    private int early;
    private volatile boolean stopped;

    WaitingReceives(DueQueue dueQueue, ScheduledExecutorService timer, ReceiveOwner owner, int maxWaiting) {
        this.dueQueue = dueQueue;
        this.timer = timer;
        this.owner = owner;
        this.maxWaiting = maxWaiting;
    }

    /** Has a call wait; it is answered at once if this has been stopped. Returns false if too many wait. */
    public boolean add(WaitingReceive receive, long waitNanos) {
        boolean tooLate;
        Capacity capacity;
        lock.lock();
        try {
            tooLate = stopped;
            if (!tooLate && queue.size() >= maxWaiting) {
                return false;
            }
            if (!tooLate) {
                queue.add(receive);
            }
            capacity = capacityNow();
        } finally {
            lock.unlock();
        }
        if (tooLate) {
            receive.answer(List.of());
            return true;
        }
        if (waitNanos <= 0) {
            owner.claimNow().whenComplete((claimed, error) -> waitIsOver(receive));
        } else {
            report(capacity);
            setAlarm(receive, waitNanos);
        }
        return true;
    }

    private void setAlarm(WaitingReceive receive, long nanos) {
        lock.lock();
        try {
            if (queue.contains(receive)) {
                receive.setAlarm(timer.schedule(() -> waitIsOver(receive), nanos, TimeUnit.NANOSECONDS));
            }
        } catch (RejectedExecutionException closed) {
            // the stop answers it
        } finally {
            lock.unlock();
        }
    }

    /** A claim under way may bring messages for the call: then it is answered after that. */
    private void waitIsOver(WaitingReceive receive) {
        boolean answers = false;
        lock.lock();
        try {
            if (reserved == 0) {
                answers = queue.remove(receive);
            } else if (queue.contains(receive)) {
                queue.setOverdue(receive);
            }
        } finally {
            lock.unlock();
        }
        if (answers) {
            receive.answer(List.of());
        }
    }

    /** A call takes no messages any more; it is not answered. */
    public void remove(WaitingReceive receive) {
        lock.lock();
        try {
            queue.remove(receive);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Capacity capacity() {
        lock.lock();
        try {
            return capacityNow();
        } finally {
            lock.unlock();
        }
    }

    /** All that is free is worth a claim, since a call waits for it. */
    private Capacity capacityNow() {
        int free = Math.max(0, queue.asked() - reserved - early);
        return new Capacity(free, Math.max(1, free));
    }

    @Override
    public Reservation reserve(int max) {
        lock.lock();
        try {
            int slots = Math.min(max, capacityNow().free());
            reserved += slots;
            return slots == 0 ? Reservation.NONE : new Reservation(slots, 0, mayBeEarly(slots));
        } finally {
            lock.unlock();
        }
    }

    /** One for each call: the first message that is due answers it, and the others would have to be released. */
    private int mayBeEarly(int slots) {
        int kept = Math.max(1, queue.asked() / KEPT_DIVISOR);
        return Math.max(0, Math.min(queue.size() - early, slots - kept));
    }

    @Override
    public void release(Reservation reservation) {
        Capacity capacity;
        lock.lock();
        try {
            reserved -= reservation.slots();
            capacity = capacityNow();
        } finally {
            lock.unlock();
        }
        // first, since the claim of another partition may begin on this thread: overdue calls wait for that one, too
        report(capacity);
        answerOverdue();
    }

    private void report(Capacity capacity) {
        if (capacity.free() > 0) {
            owner.capacityFreed(capacity);
        }
    }

    private void answerOverdue() {
        List<WaitingReceive> ended;
        lock.lock();
        try {
            ended = reserved == 0 ? queue.removeOverdue() : List.of();
        } finally {
            lock.unlock();
        }
        ended.forEach(receive -> receive.answer(List.of()));
    }

    /** Takes messages that were just claimed. Returns false if this has been stopped. */
    public boolean accept(List<InFlightMessage> messages) {
        List<InFlightMessage> notDue = new ArrayList<>();
        List<InFlightMessage> due = new ArrayList<>(messages.size());
        messages.forEach(message -> (message.lateNanos() < 0 ? notDue : due).add(message));
        ReceiveQueue.Distribution distribution;
        lock.lock();
        try {
            if (stopped) {
                return false;
            }
            early += notDue.size();
            distribution = queue.distribute(due);
        } finally {
            lock.unlock();
        }
        send(distribution);
        if (!notDue.isEmpty()) {
            keepUntilDue(notDue);
        }
        return true;
    }

    private void keepUntilDue(List<InFlightMessage> notDue) {
        try {
            dueQueue.add(notDue, whenDue, () -> stopped);
        } catch (Throwable e) {
            lock.lock();
            try {
                early -= notDue.size();
            } finally {
                lock.unlock();
            }
            WaitingMessages.each(notDue, owner::unwanted);
        }
    }

    /** Takes a message from the due queue, whose thread serves all consumers. */
    private void becameDue(InFlightMessage message) {
        ReceiveQueue.Distribution distribution;
        lock.lock();
        try {
            if (stopped) {
                return;
            }
            early--;
            distribution = queue.distribute(List.of(message));
        } finally {
            lock.unlock();
        }
        send(distribution);
    }

    private void send(ReceiveQueue.Distribution distribution) {
        distribution.answers().forEach(ReceiveQueue.Answer::send);
        WaitingMessages.each(distribution.unwanted(), owner::unwanted);
    }

    /** Takes no more messages, and answers the calls that wait. */
    public void stop() {
        List<WaitingReceive> ended;
        lock.lock();
        try {
            stopped = true;
            ended = queue.removeAll();
        } finally {
            lock.unlock();
        }
        dueQueue.remove(whenDue);
        ended.forEach(receive -> receive.answer(List.of()));
    }
}
