package io.delayqueue.testsupport.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Facts about a run from sources other than the library: the faults, and the leases that Redis held.
 *
 * @param lease length of a lease
 * @param recovery how long a fault may have effects after its end
 * @param mostLate how long after its due time and the last fault a message may begin
 * @param strikes faults that the test caused, and stalls of the machine
 * @param leases leases by message, as they were seen in Redis
 */
public record Evidence(
        Duration lease,
        Duration recovery,
        Duration mostLate,
        List<Strike> strikes,
        Map<String, List<HeldLease>> leases) {

    /**
     * A lease that Redis held.
     *
     * @param attempt the attempt it was for
     * @param deadline µs of Redis' clock
     */
    public record HeldLease(int attempt, long deadline) {}

    /** Whether the lease of an attempt was seen in Redis with a deadline after this time. */
    boolean wasStillHeld(String id, long attempt, long time) {
        return leases.getOrDefault(id, List.of()).stream()
                .anyMatch(lease -> lease.attempt() <= attempt && lease.deadline() > time);
    }

    /** Whether a fault hit the worker between these times, or shortly before. */
    boolean struck(String worker, long from, long to) {
        return strikes.stream()
                .anyMatch(strike ->
                        strike.hits(worker) && strike.begun() <= to && strike.ended() + micros(recovery) >= from);
    }

    /** The last moment until this one at which a fault was going on; the given least time if there was none. */
    long lastFault(long least, long until) {
        return strikes.stream()
                .filter(strike -> strike.begun() <= until)
                .mapToLong(strike -> Math.min(strike.ended(), until))
                .reduce(least, Math::max);
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }
}
