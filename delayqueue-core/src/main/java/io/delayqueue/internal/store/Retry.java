package io.delayqueue.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt.
 *
 * @param lease the message's lease
 * @param attempts attempts made so far, this one included
 * @param delay delay until the next attempt; null to dead-letter the message
 * @param priority the message's priority
 * @param error the error, at most 2,000 characters
 */
public record Retry(Lease lease, int attempts, @Nullable Duration delay, int priority, String error) {}
