package io.delayqueue.jdbc.restore;

import java.util.function.BooleanSupplier;

/** Tells when ends of messages that this process has noticed are in the journal. Safe for use by several threads. */
@FunctionalInterface
public interface PendingEnds {

    /** Nothing is ever on its way. */
    PendingEnds NONE = () -> () -> true;

    /** A question to be asked again and again: whether all that was noticed before this call is written, or given up. */
    BooleanSupplier written();
}
