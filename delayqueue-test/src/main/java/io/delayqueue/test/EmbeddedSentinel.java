package io.delayqueue.test;

/**
 * A real Redis Sentinel as a child process, for tests of failover. It watches one primary and its replicas, and promotes a
 * replica once the primary has not answered for a second.
 *
 * <pre>{@code
 * try (EmbeddedRedis primary = EmbeddedRedis.start();
 *         EmbeddedRedis replica = EmbeddedRedis.builder().replicaOf(primary).start();
 *         EmbeddedSentinel sentinel = EmbeddedSentinel.watching(primary)) {
 *     RedisClient client = RedisClient.create(sentinel.uri());
 *     ...
 *     primary.kill(); // about three seconds later, the client is connected to the replica
 * }
 * }</pre>
 *
 * <p>It learns of replicas from the primary, and notices new ones within ten seconds. A primary that restarts after a failover
 * becomes a replica, also after about ten seconds. The rest is as for an {@link EmbeddedRedis}: same executable, a free port,
 * files in a temporary directory, and no life beyond the JVM's.
 */
public final class EmbeddedSentinel implements AutoCloseable {

    /** The name of the primary, as Sentinel calls it. */
    public static final String MASTER_NAME = "primary";

    private final EmbeddedRedis process;

    private EmbeddedSentinel(EmbeddedRedis process) {
        this.process = process;
    }

    /**
     * Starts a Sentinel that watches this primary, and decides on a failover alone (quorum 1).
     *
     * @throws EmbeddedRedisException if it can't be started
     */
    public static EmbeddedSentinel watching(EmbeddedRedis primary) {
        return new EmbeddedSentinel(EmbeddedRedis.builder()
                .sentinel()
                .setting("sentinel", "monitor", MASTER_NAME, primary.host(), String.valueOf(primary.port()), "1")
                .setting("sentinel", "down-after-milliseconds", MASTER_NAME, "1000")
                .setting("sentinel", "failover-timeout", MASTER_NAME, "5000")
                .start());
    }

    /** The address that it listens on. */
    public String host() {
        return process.host();
    }

    /** The port that it listens on. */
    public int port() {
        return process.port();
    }

    /** The URI by which Lettuce finds the primary: {@code redis-sentinel://host:port#name}. */
    public String uri() {
        return "redis-sentinel://" + host() + ":" + port() + "#" + MASTER_NAME;
    }

    /** Kills it and deletes its files. A second call has no effect. */
    @Override
    public void close() {
        process.close();
    }
}
