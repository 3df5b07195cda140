package io.delayqueue;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server says of itself, as far as messages depend on it.
 *
 * @param server where it is, such as {@code 10.0.0.7:6379}, if it is one of a Cluster; else empty
 * @param trouble why it could not be asked, and nothing else is known of it then; empty if it could
 * @param product {@code redis} or {@code valkey}
 * @param version such as {@code 7.0.15}; empty if not told
 * @param evictionPolicy {@code maxmemory-policy}; anything but {@code noeviction} can lose messages; empty if not told
 * @param memoryLimit {@code maxmemory} in bytes, 0 for none
 * @param persistent whether an append-only file or snapshots are on
 * @param clockOffset how far Redis' clock is ahead of this process'
 * @param missingRights commands the user may not run, such as {@code zadd}, or {@code publish dq:*}; empty if all is well
 */
public record ServerReport(
        String server,
        String trouble,
        String product,
        String version,
        String evictionPolicy,
        long memoryLimit,
        boolean persistent,
        Duration clockOffset,
        List<String> missingRights) {

    private static final Pattern MAJOR_AND_MINOR = Pattern.compile("(\\d{1,9})(?:\\.(\\d{1,9}))?");

    public ServerReport {
        Objects.requireNonNull(server, "server");
        Objects.requireNonNull(trouble, "trouble");
        Objects.requireNonNull(product, "product");
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(evictionPolicy, "evictionPolicy");
        Objects.requireNonNull(clockOffset, "clockOffset");
        missingRights = List.copyOf(missingRights);
    }

    /** Of a server that could not be asked. */
    public static ServerReport unanswered(String server, String trouble) {
        return new ServerReport(server, trouble, "", "", "", 0, true, Duration.ZERO, List.of());
    }

    /** Whether it could be asked. */
    public boolean isAnswered() {
        return trouble.isEmpty();
    }

    /** Whether the version is 6.2 or later, or not told. */
    public boolean isSupported() {
        Matcher numbers = MAJOR_AND_MINOR.matcher(version);
        if (!numbers.lookingAt()) {
            return version.isEmpty();
        }
        int major = Integer.parseInt(numbers.group(1));
        int minor = numbers.group(2) == null ? 0 : Integer.parseInt(numbers.group(2));
        return major > 6 || major == 6 && minor >= 2;
    }

    /** Whether the server may drop keys that hold messages when it is full. */
    public boolean mayEvict() {
        return !evictionPolicy.isEmpty() && !evictionPolicy.equals("noeviction");
    }
}
