package io.delayqueue.gateway.security;

/** A right of a caller on a topic. */
public enum Right {

    /** To schedule, cancel and reschedule messages, and to look at them. */
    PRODUCE,

    /** To claim and settle messages. */
    CONSUME,

    /** To see numbers of topics, to look at messages, and to restore them. */
    OPERATE
}
