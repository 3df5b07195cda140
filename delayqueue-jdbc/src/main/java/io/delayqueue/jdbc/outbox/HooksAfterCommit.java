package io.delayqueue.jdbc.outbox;

import java.lang.StackWalker.StackFrame;

/**
 * Tells whether the thread is in a hook after a commit. Spring reports such a transaction as active, so for a manager without a listener,
 * the stack is the only sign.
 */
final class HooksAfterCommit {

    private static final String CALLER = "org.springframework.transaction.support.TransactionSynchronizationUtils";

    private HooksAfterCommit() {}

    static boolean isInside() {
        return StackWalker.getInstance().walk(frames -> frames.anyMatch(HooksAfterCommit::callsHooks));
    }

    private static boolean callsHooks(StackFrame frame) {
        return frame.getClassName().equals(CALLER) && frame.getMethodName().equals("invokeAfterCommit");
    }
}
