package io.delayqueue.model;

import java.time.Duration;

/** Two readings of Redis' clock around an operation, µs since the epoch. */
record TimeWindow(long from, long to) {

    static TimeWindow exactly(long micros) {
        return new TimeWindow(micros, micros);
    }

    TimeWindow plus(Duration duration) {
        long micros = duration.toNanos() / 1000;
        return new TimeWindow(from + micros, to + micros);
    }

    boolean contains(long micros) {
        return from <= micros && micros <= to;
    }
}
