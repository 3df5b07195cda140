package io.delayqueue.spring.listener;

import java.nio.channels.ClosedByInterruptException;

/** Recognises failures that an interrupt caused: by a stop, which releases the message, or by a timeout, which fails the attempt. */
final class Interruption {

    /** Maximum number of causes looked at, since a chain of causes may be circular. */
    private static final int MAX_CAUSES = 100;

    private Interruption() {}

    static boolean caused(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
            if (cause instanceof InterruptedException || cause instanceof ClosedByInterruptException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }
}
