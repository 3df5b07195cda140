package io.delayqueue.soak;

/** A fault of a soak and its time, µs of Redis' clock. */
record FaultRun(Fault fault, long begun, long ended) {}
