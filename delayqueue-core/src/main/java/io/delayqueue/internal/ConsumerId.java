package io.delayqueue.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/**
 * Ids of consumers: {@code <host>:<pid>:<random>}. Redis keeps the id with each recorded call, so it knows the instance that holds a
 * lease.
 */
public final class ConsumerId {

    /** With the other parts about as long as names of pods: the id is a part of each call. */
    private static final int LONGEST_HOST = 40;

    private ConsumerId() {}

    /** A new id, unique in the world. */
    public static String create() {
        String host = host().replaceAll("[^A-Za-z0-9._-]", "_");
        return host.substring(0, Math.min(host.length(), LONGEST_HOST)) + ":"
                + ProcessHandle.current().pid() + ":"
                + Long.toUnsignedString(UUID.randomUUID().getLeastSignificantBits(), Character.MAX_RADIX);
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
