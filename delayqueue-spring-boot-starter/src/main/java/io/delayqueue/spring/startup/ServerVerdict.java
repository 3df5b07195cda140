package io.delayqueue.spring.startup;

import io.delayqueue.ServerReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a server's report means for messages: refused, or a list of warnings. */
final class ServerVerdict {

    private static final Duration MOST_CLOCK_OFFSET = Duration.ofSeconds(1);

    private ServerVerdict() {}

    /**
     * Refuses a server that can't work.
     *
     * @throws StartupCheckException if the version is not supported or rights are missing without which messages stand still
     */
    static void refuseUnusable(ServerReport report) {
        if (!report.isSupported()) {
            throw new StartupCheckException(
                    "The server is " + report.product() + " " + report.version()
                            + ", but Redis 6.2 is the oldest supported.",
                    "Use Redis 6.2 or later, or Valkey.",
                    null);
        }
        List<String> missing = report.missingRights().stream()
                .filter(right -> !isOfChannel(right))
                .toList();
        if (!missing.isEmpty()) {
            String rights = String.join(", ", missing);
            throw new StartupCheckException(
                    "The Redis user lacks rights that the delay queue needs: " + rights + ".",
                    "Grant them with ACL SETUSER, or use another user.",
                    null);
        }
    }

    /** One sentence for each thing that endangers messages. */
    static List<String> warnings(ServerReport report) {
        List<String> warnings = new ArrayList<>();
        List<String> missing = report.missingRights().stream()
                .filter(ServerVerdict::isOfChannel)
                .toList();
        if (!missing.isEmpty()) {
            warnings.add("The Redis user lacks rights for wake-ups: " + String.join(", ", missing)
                    + ". Messages may be late by the guard interval. Grant them with ACL SETUSER.");
        }
        if (report.mayEvict()) {
            warnings.add("Redis may evict keys that hold messages when it is full: its maxmemory-policy is "
                    + report.evictionPolicy() + ". Set it to noeviction.");
        }
        if (!report.persistent()) {
            warnings.add("Redis keeps nothing on disk (neither an append-only file nor snapshots are on): its restart"
                    + " loses all messages.");
        }
        if (report.clockOffset().abs().compareTo(MOST_CLOCK_OFFSET) > 0) {
            warnings.add("Redis' clock is " + report.clockOffset().abs()
                    + (report.clockOffset().isNegative() ? " behind" : " ahead of")
                    + " this machine's. Redis' clock decides when a message is due: what is scheduled for an Instant comes"
                    + " that much off, what is scheduled with a Duration is not affected.");
        }
        return warnings;
    }

    /** Without these nothing is lost, only late. */
    private static boolean isOfChannel(String right) {
        return right.contains("publish ") || right.contains("subscribe ");
    }
}
