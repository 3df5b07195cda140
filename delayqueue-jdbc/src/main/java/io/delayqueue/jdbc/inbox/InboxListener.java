package io.delayqueue.jdbc.inbox;

import io.delayqueue.ReceivedMessage;

/** Is told of messages that the inbox kept from being handled again. Safe for use by several threads. */
@FunctionalInterface
public interface InboxListener {

    /**
     * A message was delivered that the listener handled before. It is acked without a call of the listener. Called behind the
     * transaction; a failure is logged.
     *
     * @param message the message
     * @param listener id of the listener
     */
    void duplicate(ReceivedMessage message, String listener);
}
