package io.delayqueue.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/**
 * Ids of consumers: {@code <host>:<pid>:<random>}. Redis keeps the id with each recorded call, so it knows the instance that holds a
 * lease.
 */
public final class ConsumerId {

    /** As Linux allows: pods of one deployment differ in their last characters, and each is process 1 of its container. */
    private static final int LONGEST_HOST = 64;

    /** Looked up once: where names of hosts resolve slowly, each look-up takes seconds, and a process may have a thousand consumers. */
    private static final String THIS_INSTANCE =
            instance(host(), ProcessHandle.current().pid());

    private ConsumerId() {}

    /** A new id, unique in the world. */
    public static String create() {
        return THIS_INSTANCE + ":"
                + Long.toUnsignedString(UUID.randomUUID().getLeastSignificantBits(), Character.MAX_RADIX);
    }

    static String instance(String host, long pid) {
        String name = host.replaceAll("[^A-Za-z0-9._-]", "_");
        return name.substring(0, Math.min(name.length(), LONGEST_HOST)) + ":" + pid;
    }

    /** The instance of a consumer, {@code <host>:<pid>}; the id itself if it is another program's. */
    public static String instanceOf(String consumer) {
        int end = consumer.lastIndexOf(':');
        return end > 0 ? consumer.substring(0, end) : consumer;
    }

    private static String host() {
        String fromEnvironment = System.getenv("HOSTNAME");
        if (fromEnvironment != null && !fromEnvironment.isBlank()) {
            return fromEnvironment;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
