package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.PullConsumer;
import io.delayqueue.gateway.GatewayProperties;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/** The ranges of the gateway's properties. */
final class GatewayPropertyRules {

    /** As that of SQS' answers. */
    private static final DataSize LEAST_ANSWER_MEMORY = DataSize.ofMegabytes(4);

    private GatewayPropertyRules() {}

    /**
     * Refuses values out of range.
     *
     * @throws InvalidConfigurationPropertyValueException for the first of them
     */
    static void check(GatewayProperties properties) {
        String path = properties.getPath();
        require(
                "path",
                path,
                path.matches("(/[A-Za-z0-9._~-]+)+"),
                "it must begin with a slash, have no slash at its end, and be made of letters, digits, '.', '_', '~', '-'");
        long maxBody = properties.getMaxBody().toBytes();
        require("max-body", maxBody, maxBody >= 1 && maxBody < Integer.MAX_VALUE, "it must be 1 byte to 2 GB");
        Duration bodyTimeout = properties.getBodyTimeout();
        require("body-timeout", bodyTimeout, isUpToADay(bodyTimeout, 100), "it must be 100ms to 24h");
        require(
                "max-incoming-bodies",
                properties.getMaxIncomingBodies(),
                properties.getMaxIncomingBodies() >= 1,
                "it must be at least 1");
        require("max-batch", properties.getMaxBatch(), properties.getMaxBatch() >= 1, "it must be at least 1");
        require(
                "max-requests-per-second",
                properties.getMaxRequestsPerSecond(),
                properties.getMaxRequestsPerSecond() >= 0,
                "it must not be negative");
        check(properties.getClaims());
        check(properties.getIdempotency());
    }

    private static void check(GatewayProperties.Claims claims) {
        int max = claims.getMaxMessages();
        require(
                "claims.max-messages",
                max,
                max >= 1 && max <= PullConsumer.MAX_MESSAGES,
                "it must be 1 to " + PullConsumer.MAX_MESSAGES);
        require("claims.max-wait", claims.getMaxWait(), isUpToADay(claims.getMaxWait(), 0), "it must be 0 to 24h");
        require("claims.max-waiting", claims.getMaxWaiting(), claims.getMaxWaiting() >= 1, "it must be at least 1");
        require("claims.lease", claims.getLease(), isUpToADay(claims.getLease(), 1), "it must be 1ms to 24h");
        require(
                "claims.delivery-lease",
                claims.getDeliveryLease(),
                isUpToADay(claims.getDeliveryLease(), 1_000),
                "it must be 1s to 24h");
        Duration answer = claims.getAnswerTimeout();
        require("claims.answer-timeout", answer, isUpToADay(answer, 100), "it must be 100ms to 24h");
        DataSize memory = claims.getMaxAnswerMemory();
        require(
                "claims.max-answer-memory",
                memory,
                memory == null || memory.compareTo(LEAST_ANSWER_MEMORY) >= 0,
                "it must be at least 4MB: a largest message must fit");
        require(
                "claims.max-attempts",
                claims.getMaxAttempts(),
                claims.getMaxAttempts() >= 1 && claims.getMaxAttempts() <= 1_000_000,
                "it must be 1 to 1,000,000");
        Duration idle = claims.getIdleTimeout();
        require("claims.idle-timeout", idle, isUpToADay(idle, 1_000), "it must be 1s to 24h");
    }

    private static void check(GatewayProperties.Idempotency idempotency) {
        Duration retention = idempotency.getRetention();
        Duration lost = idempotency.getLost();
        require(
                "idempotency.retention",
                retention,
                retention.toSeconds() >= 1 && retention.toDays() <= 365,
                "it must be 1s to 365d");
        require(
                "idempotency.lost",
                lost,
                lost.toSeconds() >= 1 && lost.compareTo(retention) <= 0,
                "it must be at least 1s, and not longer than idempotency.retention");
    }

    private static boolean isUpToADay(Duration duration, long leastMillis) {
        return duration.compareTo(Duration.ofMillis(leastMillis)) >= 0 && duration.compareTo(Duration.ofDays(1)) <= 0;
    }

    private static void require(String name, @Nullable Object value, boolean valid, String rule) {
        if (!valid) {
            throw new InvalidConfigurationPropertyValueException("delayqueue.gateway." + name, value, rule);
        }
    }
}
