package io.delayqueue;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One Redis server as {@link DelayQueueClient#inspectServers()} found it. Immutable.
 *
 * <p>A fact that the server does not tell, or that the Redis user may not ask for, is unknown. An unknown fact has a value that
 * raises no alarm: an unknown version counts as supported, unknown persistence as on. Tests build reports with
 * {@link #builder()}, which starts with all facts unknown.
 */
public final class ServerReport {

    private static final Pattern MAJOR_AND_MINOR = Pattern.compile("(\\d{1,9})(?:\\.(\\d{1,9}))?");

    private final String server;
    private final String error;
    private final String product;
    private final String version;
    private final String evictionPolicy;
    private final long memoryLimit;
    private final boolean persistent;
    private final Duration clockOffset;
    private final List<String> missingPermissions;

    private ServerReport(Builder builder) {
        this.server = builder.server;
        this.error = builder.error;
        this.product = builder.product;
        this.version = builder.version;
        this.evictionPolicy = builder.evictionPolicy;
        this.memoryLimit = builder.memoryLimit;
        this.persistent = builder.persistent;
        this.clockOffset = builder.clockOffset;
        this.missingPermissions = builder.missingPermissions;
    }

    /** Starts the report of a reachable server with nothing wrong and nothing known of it. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Report of a server that gave no answer.
     *
     * @param error why not, for people; not empty
     * @throws IllegalArgumentException if the error is empty
     */
    public static ServerReport unreachable(String server, String error) {
        if (error.isEmpty()) {
            throw new IllegalArgumentException("error must not be empty");
        }
        Builder builder = builder().server(server);
        builder.error = error;
        return builder.build();
    }

    /** Address of a server in a Cluster, such as {@code 10.0.0.7:6379}; empty outside a Cluster. */
    public String server() {
        return server;
    }

    /** Whether the server answered; if not, everything but {@link #server()} and {@link #error()} is unknown. */
    public boolean isReachable() {
        return error.isEmpty();
    }

    /** Why the server did not answer, for people; empty if it did. */
    public String error() {
        return error;
    }

    /** Product name, such as {@code redis} or {@code valkey}; empty if unknown. */
    public String product() {
        return product;
    }

    /** Version, such as {@code 7.0.15}; empty if unknown. */
    public String version() {
        return version;
    }

    /** Whether the version is 6.2 or later, or unknown. */
    public boolean isSupported() {
        Matcher numbers = MAJOR_AND_MINOR.matcher(version);
        if (!numbers.lookingAt()) {
            return version.isEmpty();
        }
        int major = Integer.parseInt(numbers.group(1));
        int minor = numbers.group(2) == null ? 0 : Integer.parseInt(numbers.group(2));
        return major > 6 || major == 6 && minor >= 2;
    }

    /** The setting {@code maxmemory-policy}, such as {@code noeviction}; empty if unknown. */
    public String evictionPolicy() {
        return evictionPolicy;
    }

    /** Whether the server may drop keys that hold messages when it is full: any policy but {@code noeviction}. */
    public boolean mayEvict() {
        return !evictionPolicy.isEmpty() && !evictionPolicy.equals("noeviction");
    }

    /** The setting {@code maxmemory} in bytes; 0 for no limit, or if unknown. */
    public long memoryLimit() {
        return memoryLimit;
    }

    /** Whether an append-only file or snapshots are on, or unknown. */
    public boolean isPersistent() {
        return persistent;
    }

    /** How far Redis' clock is ahead of this process' clock at least, negative if it is behind; zero if a round trip may explain it. */
    public Duration clockOffset() {
        return clockOffset;
    }

    /**
     * Permissions that the library needs and the user lacks, as {@code ACL SETUSER} names them: commands such as {@code zadd},
     * or command and channels such as {@code publish dq:*}. Unmodifiable; empty if the user may do everything.
     */
    public List<String> missingPermissions() {
        return missingPermissions;
    }

    @Override
    public String toString() {
        String name = server.isEmpty() ? "" : server + ", ";
        return isReachable()
                ? "ServerReport[" + name + product + " " + version + ", evictionPolicy=" + evictionPolicy
                        + ", memoryLimit=" + memoryLimit + ", persistent=" + persistent + ", clockOffset="
                        + clockOffset + ", missingPermissions=" + missingPermissions + "]"
                : "ServerReport[" + name + "error=" + error + "]";
    }

    /** Collects the facts of a reachable server. Not safe for use by several threads. */
    public static final class Builder {

        private String server = "";
        private String error = "";
        private String product = "";
        private String version = "";
        private String evictionPolicy = "";
        private long memoryLimit;
        private boolean persistent = true;
        private Duration clockOffset = Duration.ZERO;
        private List<String> missingPermissions = List.of();

        private Builder() {}

        /** Address of a server in a Cluster. Default empty. */
        public Builder server(String server) {
            this.server = Objects.requireNonNull(server, "server");
            return this;
        }

        /** Product name. Default empty: unknown. */
        public Builder product(String product) {
            this.product = Objects.requireNonNull(product, "product");
            return this;
        }

        /** Version. Default empty: unknown. */
        public Builder version(String version) {
            this.version = Objects.requireNonNull(version, "version");
            return this;
        }

        /** The setting {@code maxmemory-policy}. Default empty: unknown. */
        public Builder evictionPolicy(String evictionPolicy) {
            this.evictionPolicy = Objects.requireNonNull(evictionPolicy, "evictionPolicy");
            return this;
        }

        /** The setting {@code maxmemory} in bytes. Default 0: no limit. */
        public Builder memoryLimit(long memoryLimit) {
            this.memoryLimit = memoryLimit;
            return this;
        }

        /** Whether an append-only file or snapshots are on. Default true. */
        public Builder persistent(boolean persistent) {
            this.persistent = persistent;
            return this;
        }

        /** How far Redis' clock is ahead of this process' clock at least, negative if it is behind. Default zero. */
        public Builder clockOffset(Duration clockOffset) {
            this.clockOffset = Objects.requireNonNull(clockOffset, "clockOffset");
            return this;
        }

        /** Permissions that the user lacks. Default none. */
        public Builder missingPermissions(List<String> missingPermissions) {
            this.missingPermissions = List.copyOf(missingPermissions);
            return this;
        }

        /** The report. */
        public ServerReport build() {
            return new ServerReport(this);
        }
    }
}
