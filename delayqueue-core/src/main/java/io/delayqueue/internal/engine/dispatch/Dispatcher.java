package io.delayqueue.internal.engine.dispatch;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Brings claimed messages to handlers and waiting calls: one {@link DueQueue} and one {@link HandlerPool} for all of a client. */
public final class Dispatcher implements AutoCloseable {

    private final ScheduledExecutorService timer;
    private final DueQueue dueQueue = new DueQueue();
    private final HandlerPool pool;

    /**
     * Has no thread yet.
     *
     * @param timer runs short tasks
     * @param threadFactory makes the workers; null for daemon threads
     */
    public Dispatcher(ScheduledExecutorService timer, @Nullable ThreadFactory threadFactory) {
        this.timer = timer;
        this.pool = new HandlerPool(timer, threadFactory);
    }

    /** Slots for one subscription, as many as its concurrency. */
    public HandlerSlots slots(int concurrency, SlotOwner owner) {
        return new HandlerSlots(pool, dueQueue, timer, concurrency, owner);
    }

    /** The calls of one pull consumer that wait for messages. */
    public WaitingReceives receives(ReceiveOwner owner, int maxWaiting) {
        return new WaitingReceives(dueQueue, timer, owner, maxWaiting);
    }

    /** Hands out no more messages; workers end when their handlers do. */
    @Override
    public void close() {
        dueQueue.close();
        pool.close();
    }
}
