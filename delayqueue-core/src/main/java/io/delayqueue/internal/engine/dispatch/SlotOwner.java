package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;

/** The subscription that the slots belong to. Called without a lock. */
public interface SlotOwner {

    /** Handles a message on the current thread, which is a worker. */
    void handle(InFlightMessage message, HandlerSlot slot);

    /** A due message got no slot in time. */
    void noSlot(InFlightMessage message);

    /** A claimed message can't be handled, for want of a thread for instance; its handler has not begun. */
    void notStarted(InFlightMessage message, Throwable reason);

    /** A message could not be handled, for a reason that is not its handler's; its handler may have begun. */
    void notHandled(InFlightMessage message, Throwable reason);

    /** The handler of a message that was passed to {@link #handle} runs no more, or never ran; called once for each, before it is acked. */
    void handlerEnded();

    /** More messages can be claimed. */
    void capacityFreed(Capacity capacity);
}
