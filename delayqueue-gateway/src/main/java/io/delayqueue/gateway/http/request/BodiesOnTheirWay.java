package io.delayqueue.gateway.http.request;

import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Bounds the bodies that have not come in full yet: their number, and their bytes in memory. Safe for use by many threads. */
public final class BodiesOnTheirWay {

    private final int most;
    private final long mostBytes;
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
    }

    /**
     * One more begins.
     *
     * @throws ProblemException if too many are on their way
     */
    void begin() {
        if (count.incrementAndGet() > most) {
            count.decrementAndGet();
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
    void end(int size) {
        bytes.addAndGet(-size);
        count.decrementAndGet();
    }
}
