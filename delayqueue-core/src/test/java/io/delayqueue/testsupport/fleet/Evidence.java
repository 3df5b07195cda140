package io.delayqueue.testsupport.fleet;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Facts about a run from sources other than the library: the faults, and the leases that Redis held.
 *
 * @param lease length of a lease
 * @param recovery how long a fault may have effects after its end
 * @param onTime how long after its due time a message may begin that no fault came near
 * @param mostLate how long after its due time and the last fault another message may begin; how long after its due time alone, it
 *     may add the length of each fault, and the recovery from it
 * @param strikes faults that the test caused, and stalls of the machine
 * @param leases leases by message, as they were seen in Redis
 */
public record Evidence(
        Duration lease,
        Duration recovery,
        Duration onTime,
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

    /** Whether a worker began a message later than it may: after its due time, or after the last fault that delayed it. */
    boolean isLate(String worker, long due, long begun) {
        List<Strike> near = strikes.stream()
                .filter(strike ->
                        strike.delays(worker) && strike.begun() <= begun && strike.ended() + micros(recovery) >= due)
                .sorted(Comparator.comparingLong(Strike::begun))
                .toList();
        if (near.isEmpty()) {
            return begun - due > micros(onTime);
        }
        long free = near.stream()
                .mapToLong(strike -> Math.min(strike.ended(), begun))
                .reduce(due, Math::max);
        return begun - free > micros(mostLate) || begun - due > mostLateAfter(near);
    }

    /** How late a message may begin after these faults: each adds its length and the recovery from it, unless the next one came before. */
    private long mostLateAfter(List<Strike> near) {
        long most = micros(mostLate);
        for (int i = 0; i < near.size(); i++) {
            Strike strike = near.get(i);
            long effect = strike.ended() - strike.begun() + micros(recovery);
            most += i + 1 < near.size() ? Math.min(effect, near.get(i + 1).begun() - strike.begun()) : effect;
        }
        return most;
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }
}
