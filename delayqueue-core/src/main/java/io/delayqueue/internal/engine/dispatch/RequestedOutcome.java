package io.delayqueue.internal.engine.dispatch;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The outcome that a handler asked for instead of an ack.
 *
 * @param retryAfter delay before another attempt; null to dead-letter the message
 * @param reason in words
 */
record RequestedOutcome(@Nullable Duration retryAfter, String reason) {}
