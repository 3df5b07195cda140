package io.delayqueue.soak;

/**
 * A fault of a soak and its time, µs of Redis' clock.
 *
 * @param workers how many workers it hit
 */
record FaultRun(Fault fault, int workers, long begun, long ended) {

    /** Messages in flight of the workers that it hit: so many may be delivered again. */
    int mostDuplicates() {
        return fault.mayRepeatDeliveries() ? workers * Soak.MOST_IN_HAND : 0;
    }
}
