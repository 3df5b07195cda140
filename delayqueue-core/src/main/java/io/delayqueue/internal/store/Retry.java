package io.delayqueue.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt.
 *
 * @param lease the right to end it
 * @param attempts made so far, this one included
 * @param delay until the next attempt; null to dead-letter the message
 * @param priority of the message
 * @param error what went wrong, at most 2,000 characters
 */
public record Retry(Lease lease, int attempts, @Nullable Duration delay, int priority, String error) {}
