package io.delayqueue.spring.listener;

import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;

/** One message's call of its listener; tells whether the listener's own method failed, or what surrounds it. */
final class ListenerCall implements MessageHandler {

    private final MessageHandler listener;
    private volatile boolean failed;

    ListenerCall(MessageHandler listener) {
        this.listener = listener;
    }

    @Override
    public void handle(ReceivedMessage message, Delivery delivery) throws Exception {
        failed = false;
        try {
            listener.handle(message, delivery);
        } catch (BeforeCallException e) {
            throw e.failure;
        } catch (Exception | Error e) {
            failed = true;
            throw e;
        }
    }

    /** Whether the listener failed when it was last called. */
    boolean hasFailed() {
        return failed;
    }

    /** Carries a failure that came before the call of the listener's method. */
    static final class BeforeCallException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final Exception failure;

        BeforeCallException(Exception failure) {
            super(failure);
            this.failure = failure;
        }
    }
}
