package io.delayqueue.gateway.callback;

import io.delayqueue.ReceivedMessage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Keeps the status of a failed attempt for the request of the next one, which another instance may make. Only messages that fail cost
 * commands. A status that can't be kept or read is left out of the request, which is sent all the same. Thread-safe.
 */
final class PreviousStatuses {

    /** Value for an attempt without a response. */
    static final String NONE = "none";

    private static final Logger log = LoggerFactory.getLogger(PreviousStatuses.class);

    /** Longer than the delay to the next attempt, which may come late. */
    private static final Duration RESERVE = Duration.ofDays(1);

    private final StringRedisTemplate redis;
    private final RedisCalls calls;
    private final String prefix;

    /**
     * Statuses in a Redis.
     *
     * @param calls makes the commands
     * @param keyPrefix of the delay queue's keys
     */
    PreviousStatuses(StringRedisTemplate redis, RedisCalls calls, String keyPrefix) {
        this.redis = redis;
        this.calls = calls;
        this.prefix = keyPrefix + ":gateway:callbacks:status:";
    }

    /** Status of the attempt before this one; null if unknown. */
    @Nullable
    String before(ReceivedMessage message) {
        if (message.attempt() == 1) {
            return null;
        }
        try {
            @Nullable
            String kept = calls.<@Nullable String>call(() -> redis.opsForValue().get(key(message)));
            // an attempt whose process died left none
            String attempt = (message.attempt() - 1) + ":";
            return kept != null && kept.startsWith(attempt) ? kept.substring(attempt.length()) : null;
        } catch (DataAccessException e) {
            log.debug("The previous status of a callback can't be read", e);
            return null;
        }
    }

    /**
     * Keeps the status of this attempt.
     *
     * @param nextAttempt delay until the next one
     */
    void keep(ReceivedMessage message, String status, Duration nextAttempt) {
        try {
            calls.call(() -> {
                redis.opsForValue().set(key(message), message.attempt() + ":" + status, nextAttempt.plus(RESERVE));
                return true;
            });
        } catch (DataAccessException e) {
            log.debug("The status of a callback can't be kept", e);
        }
    }

    /** Forgets a message that is done, if something is kept of it. */
    void forget(ReceivedMessage message) {
        if (message.attempt() == 1) {
            return;
        }
        try {
            calls.call(() -> redis.delete(key(message)));
        } catch (DataAccessException e) {
            log.debug("The status of a callback can't be deleted", e);
        }
    }

    private String key(ReceivedMessage message) {
        return prefix + WebhookId.of(message);
    }
}
