package io.delayqueue.gateway.http.request;

import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Bounds the bodies that have not come in full yet: their number, and their bytes in memory. Safe for use by many threads. */
public final class BodiesOnTheirWay {

    private final int most;
    private final long mostBytes;
    private final CallerShares shares;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * No body is on its way.
     *
     * @param most bodies at the same time
     * @param mostBytes bytes of all of them
     */
    public BodiesOnTheirWay(int most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
        this.shares = new CallerShares(most);
    }

    /**
     * One more begins.
     *
     * @throws ProblemException if too many are on their way, of this caller or of all
     */
    void begin(Caller caller) {
        if (!shares.tryBegin(caller)) {
            throw new ProblemException(
                    ProblemType.TOO_MANY_REQUESTS,
                    shares.most() + " bodies of caller '" + caller.name() + "' are on their way, the maximum");
        }
        if (count.incrementAndGet() > most) {
            count.decrementAndGet();
            shares.end(caller);
            throw new ProblemException(ProblemType.OVERLOADED, most + " bodies of other requests are on their way");
        }
    }

    /**
     * Some bytes have come.
     *
     * @throws ProblemException if all bodies together have too many; then these don't count
     */
    void add(int more) {
        if (bytes.addAndGet(more) > mostBytes) {
            bytes.addAndGet(-more);
            throw new ProblemException(ProblemType.OVERLOADED, "bodies of other requests take " + mostBytes + " bytes");
        }
    }

    /** One has come, or does not come any more. */
    void end(Caller caller, int size) {
        shares.end(caller);
        bytes.addAndGet(-size);
        count.decrementAndGet();
    }
}
