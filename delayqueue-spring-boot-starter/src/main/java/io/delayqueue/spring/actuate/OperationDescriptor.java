package io.delayqueue.spring.actuate;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of an operation, and the number of messages that it changed.
 *
 * @param action the action asked for
 * @param topic its topic; null if a token was named instead
 * @param outcome {@code done}; {@code recorded} by a journal, to be done once Redis answers; {@code in_flight}, {@code not_found},
 *     {@code denied}, {@code unknown_token} (none of this instance, or expired) or {@code too_many_jobs} if nothing was done
 * @param count number of messages that were changed; 0 for a topic that was paused or resumed
 */
public record OperationDescriptor(String action, @Nullable String topic, String outcome, long count)
        implements DelayQueueDescriptor {}
