package io.delayqueue.gateway.http;

import io.delayqueue.gateway.GatewayProperties;
import io.delayqueue.gateway.http.body.Fields;
import io.delayqueue.gateway.http.problem.ProblemException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The body of a claim.
 *
 * @param max largest number of messages
 * @param longestWait time to wait for the first message
 * @param lease lease of the messages
 */
record ClaimRequest(int max, Duration longestWait, Duration lease) {

    private static final Duration SHORTEST_LEASE = Duration.ofMillis(1);
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);

    static ClaimRequest read(JsonNode body, GatewayProperties.Claims limits) {
        Fields fields = new Fields(body, Set.of("max", "wait", "lease"));
        Integer max = fields.integer("max", 1, limits.getMaxMessages());
        Duration wait = fields.duration("wait");
        if (wait != null && wait.compareTo(limits.getMaxWait()) > 0) {
            throw ProblemException.invalid("wait", "must be at most " + limits.getMaxWait());
        }
        Duration lease = lease(fields);
        return new ClaimRequest(
                max == null ? 1 : max, wait == null ? Duration.ZERO : wait, lease == null ? limits.getLease() : lease);
    }

    /** The field with the lease; null if absent. */
    static @Nullable Duration lease(Fields fields) {
        Duration lease = fields.duration("lease");
        if (lease != null && (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0)) {
            throw ProblemException.invalid("lease", "must be " + SHORTEST_LEASE + " to " + LONGEST_LEASE);
        }
        return lease;
    }
}
