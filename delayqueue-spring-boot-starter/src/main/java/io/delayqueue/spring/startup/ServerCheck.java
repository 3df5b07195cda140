package io.delayqueue.spring.startup;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ServerReport;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Inspects the servers of one client, each until it answered once. Not safe for use by several threads at the same time. */
final class ServerCheck {

    private static final Logger log = LoggerFactory.getLogger(StartupChecks.class);

    private final DelayQueueClient client;
    private final String prefix;
    private final Set<String> checked = new HashSet<>();

    /** @param prefix of each finding; empty if there are no servers to confuse */
    ServerCheck(DelayQueueClient client, String prefix) {
        this.client = client;
        this.prefix = prefix;
    }

    String prefix() {
        return prefix;
    }

    /** Whether some of the servers answered. */
    boolean isPartlyDone() {
        return !checked.isEmpty();
    }

    /**
     * Checks the servers that answer and have not been checked yet.
     *
     * @throws StartupCheckException if a server is unusable
     * @throws io.delayqueue.DelayQueueException if a server does not answer
     */
    void run() {
        List<ServerReport> reports = client.inspectServers();
        List<ServerReport> answered = reports.stream()
                .filter(report -> report.isReachable() && !checked.contains(report.server()))
                .toList();
        try {
            ServerVerdict.refuseUnusable(answered);
        } catch (StartupCheckException e) {
            throw new StartupCheckException(prefix + e.getMessage(), e.action(), e.getCause());
        }
        ServerVerdict.warnings(answered).forEach(warning -> log.warn("{}{}", prefix, warning));
        answered.forEach(report -> checked.add(report.server()));
        List<String> unavailable = reports.stream()
                .filter(report -> !report.isReachable())
                .map(report -> report.server() + " (" + report.error() + ")")
                .toList();
        if (!unavailable.isEmpty()) {
            throw new RedisUnavailableException(
                    "these nodes of the Redis Cluster are unavailable: " + unavailable, null, null, null);
        }
    }
}
