package io.delayqueue.gateway.sqs.limit;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Calls that wait for Redis or a database on a thread of the container: only some at once, so that a slow one leaves threads to others.
 * Safe for use by several threads.
 */
public final class BlockingCalls {

    private final Semaphore free;
    private final CallerShares shares;

    /** As many calls at once. */
    public BlockingCalls(int max) {
        free = new Semaphore(max);
        shares = new CallerShares(max);
    }

    /**
     * Makes a call.
     *
     * @throws SqsException that the service is unavailable, if as many calls wait already, or half as many of this caller; nothing was
     *     done
     */
    public <T> T call(Caller caller, Supplier<T> call) {
        if (!shares.tryBegin(caller)) {
            throw new SqsException(
                    SqsError.SERVICE_UNAVAILABLE,
                    shares.most() + " requests of the key " + caller.name()
                            + " wait already, its largest number; this one was not begun. Repeat it.");
        }
        try {
            return call(call);
        } finally {
            shares.end(caller);
        }
    }

    private <T> T call(Supplier<T> call) {
        if (!free.tryAcquire()) {
            throw new SqsException(
                    SqsError.SERVICE_UNAVAILABLE, "Too many requests wait already; this one was not begun. Repeat it.");
        }
        try {
            return call.get();
        } finally {
            free.release();
        }
    }
}
