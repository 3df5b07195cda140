package io.delayqueue.dashboard.autoconfigure;

import io.delayqueue.dashboard.DashboardProperties;
import java.time.Duration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** The ranges of the dashboard's properties. */
final class DashboardPropertyRules {

    private static final long MAX_PAYLOAD = 16L * 1024 * 1024;
    private static final int MAX_NODES = 1_000_000;
    private static final int MAX_HEADERS = 10_000;

    private DashboardPropertyRules() {}

    /**
     * Refuses values out of range.
     *
     * @throws InvalidConfigurationPropertyValueException for the first of them
     */
    static void check(DashboardProperties properties) {
        String path = properties.getPath();
        require(
                "path",
                path,
                path.matches("(/[A-Za-z0-9._~-]+)+"),
                "it must begin with a slash, have no slash at its end, and be made of letters, digits, '.', '_', '~', '-'");
        long bytes = properties.getMaxPayload().toBytes();
        require("max-payload", properties.getMaxPayload(), bytes >= 1 && bytes <= MAX_PAYLOAD, "it must be 1B to 16MB");
        int nodes = properties.getMaxNodes();
        require("max-nodes", nodes, nodes >= 1 && nodes <= MAX_NODES, "it must be 1 to 1,000,000");
        int headers = properties.getMaxHeaders();
        require("max-headers", headers, headers >= 0 && headers <= MAX_HEADERS, "it must be 0 to 10,000");
        Duration timeout = properties.getReadTimeout();
        require(
                "read-timeout",
                timeout,
                timeout.compareTo(Duration.ofMillis(100)) >= 0 && timeout.compareTo(Duration.ofMinutes(1)) <= 0,
                "it must be 100ms to 1m");
    }

    private static void require(String name, Object value, boolean valid, String rule) {
        if (!valid) {
            throw new InvalidConfigurationPropertyValueException("delayqueue.dashboard." + name, value, rule);
        }
    }
}
