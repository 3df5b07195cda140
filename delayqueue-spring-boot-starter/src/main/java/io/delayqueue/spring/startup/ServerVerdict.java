package io.delayqueue.spring.startup;

import io.delayqueue.ServerReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What servers' reports mean for messages: refused, or a list of warnings. */
final class ServerVerdict {

    private static final Duration MOST_CLOCK_OFFSET = Duration.ofSeconds(1);

    private ServerVerdict() {}

    /**
     * Refuses servers of which one can't work.
     *
     * @throws StartupCheckException if a version is not supported or rights are missing without which messages stand still
     */
    static void refuseUnusable(List<ServerReport> reports) {
        found(reports, ServerVerdict::tooOld).stream().findFirst().ifPresent(problem -> {
            throw new StartupCheckException(problem, "Use Redis 6.2 or later, or Valkey.", null);
        });
        found(reports, ServerVerdict::missingPermissions).stream().findFirst().ifPresent(problem -> {
            throw new StartupCheckException(problem, "Grant them with ACL SETUSER, or use another user.", null);
        });
    }

    /** One sentence for each thing that endangers messages. */
    static List<String> warnings(List<ServerReport> reports) {
        return found(reports, ServerVerdict::warningsOf);
    }

    /** What was found, each once, with the servers that it is about in front of it. */
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
                .filter(right -> !isOfChannel(right))
                .toList();
        return missing.isEmpty()
                ? List.of()
                : List.of(
                        "The Redis user lacks rights that the delay queue needs: " + String.join(", ", missing) + ".");
    }

    private static List<String> warningsOf(ServerReport report) {
        List<String> warnings = new ArrayList<>();
        List<String> missing = report.missingPermissions().stream()
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
        if (!report.isPersistent()) {
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
