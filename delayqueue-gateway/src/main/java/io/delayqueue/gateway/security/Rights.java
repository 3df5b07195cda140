package io.delayqueue.gateway.security;

/** Tells the rights of a caller by topic. */
@FunctionalInterface
public interface Rights {

    /** Every right on every topic. */
    Rights ALL = (right, topic) -> true;

    /** Whether the right on this topic is given. */
    boolean allow(Right right, String topic);
}
