package io.delayqueue.jdbc.support;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Names this process in rows of the journal: {@code <host>:<pid>}. */
public final class JournalInstance {

    /** Fits the columns beside a process id. */
    private static final int LONGEST_HOST = 180;

    private JournalInstance() {}

    /** The name; the same for all calls in a process. */
    public static String name() {
        String host = host();
        return host.substring(0, Math.min(host.length(), LONGEST_HOST)) + ":"
                + ProcessHandle.current().pid();
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
