package io.delayqueue.benchmarks.servers;

/** Messages that a server keeps when its machine fails. */
public enum Durability {
    /** As the other scenarios have it: Redis and beanstalkd keep nothing, PostgreSQL keeps each commit. */
    USUAL,
    /** All but the last second or less: Redis with {@code appendfsync everysec}, PostgreSQL without {@code synchronous_commit}. */
    RELAXED,
    /** All that was answered: Redis with {@code appendfsync always}, PostgreSQL with {@code synchronous_commit}. */
    STRICT
}
