package io.delayqueue.internal.engine.dispatch;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The outcome that a handler asked for instead of an ack.
 *
 * @param delay until another attempt; null to dead-letter the message
 * @param counts whether this attempt counts
 * @param reason in words
 */
record RequestedOutcome(@Nullable Duration delay, boolean counts, String reason) {}
