package io.delayqueue.spring.startup;

import io.delayqueue.ServerReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Judges servers by their reports: refuses unusable ones, and warns of settings that endanger messages. */
final class ServerVerdict {

    /** Largest offset without a warning: clocks kept by NTP differ by milliseconds. */
    private static final Duration MAX_CLOCK_OFFSET = Duration.ofSeconds(1);

    private ServerVerdict() {}

    /**
     * Refuses the servers if one of them is unusable.
     *
     * @throws StartupCheckException if a version is not supported, or permissions to consume or schedule are missing
     */
    static void refuseUnusable(List<ServerReport> reports) {
        found(reports, ServerVerdict::tooOld).stream().findFirst().ifPresent(problem -> {
            throw new StartupCheckException(problem, "Use Redis 6.2 or later, or Valkey.", null);
        });
        found(reports, ServerVerdict::missingPermissions).stream().findFirst().ifPresent(problem -> {
            throw new StartupCheckException(problem, "Grant them with ACL SETUSER, or use another user.", null);
        });
    }

    /** One warning for each setting that endangers messages. */
    static List<String> warnings(List<ServerReport> reports) {
        return found(reports, ServerVerdict::warningsOf);
    }

    /** All findings, each once, preceded by the servers that it is about. */
    private static List<String> found(List<ServerReport> reports, Function<ServerReport, List<String>> findings) {
        Map<String, List<String>> servers = new LinkedHashMap<>();
        for (ServerReport report : reports) {
            for (String finding : findings.apply(report)) {
                List<String> found = servers.computeIfAbsent(finding, any -> new ArrayList<>());
                if (!report.server().isEmpty()) {
                    found.add(report.server());
                }
            }
        }
        return servers.entrySet().stream()
                .map(found -> found.getValue().isEmpty()
                        ? found.getKey()
                        : String.join(", ", found.getValue()) + ": " + found.getKey())
                .toList();
    }

    private static List<String> tooOld(ServerReport report) {
        return report.isSupported()
                ? List.of()
                : List.of("The server is " + report.product() + " " + report.version()
                        + ", but Redis 6.2 is the oldest supported.");
    }

    private static List<String> missingPermissions(ServerReport report) {
        List<String> missing = report.missingPermissions().stream()
                .filter(permission -> !isOfChannel(permission))
                .toList();
        return missing.isEmpty()
                ? List.of()
                : List.of("The Redis user lacks permissions that the delay queue needs: " + String.join(", ", missing)
                        + ".");
    }

    private static List<String> warningsOf(ServerReport report) {
        List<String> warnings = new ArrayList<>();
        List<String> missing = report.missingPermissions().stream()
                .filter(ServerVerdict::isOfChannel)
                .toList();
        if (!missing.isEmpty()) {
            warnings.add(
                    "The Redis user lacks permissions for wake-ups: " + String.join(", ", missing)
                            + ". Messages may be late by up to delayqueue.guard-interval. Grant the permissions with ACL SETUSER.");
        }
        if (report.mayEvict()) {
            warnings.add("Redis may evict keys that hold messages when it is full: its maxmemory-policy is "
                    + report.evictionPolicy() + ". Set it to noeviction.");
        }
        if (!report.isPersistent()) {
            warnings.add(
                    "Redis has no persistence (neither an append-only file nor snapshots): a restart loses all messages.");
        }
        if (report.clockOffset().abs().compareTo(MAX_CLOCK_OFFSET) > 0) {
            warnings.add("Redis' clock is " + report.clockOffset().abs()
                    + (report.clockOffset().isNegative() ? " behind" : " ahead of")
                    + " this machine's. Redis' clock decides when a message is due: a message scheduled for an Instant is"
                    + " off by that much at least, one scheduled with a Duration is not.");
        }
        return warnings;
    }

    /** Whether it is for wake-ups only: without it messages are late, but not lost. */
    private static boolean isOfChannel(String permission) {
        return permission.contains("publish ") || permission.contains("subscribe ");
    }
}
