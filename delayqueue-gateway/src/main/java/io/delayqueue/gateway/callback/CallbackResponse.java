package io.delayqueue.gateway.callback;

import org.jspecify.annotations.Nullable;

/**
 * The parts of a response that matter. Its body does not.
 *
 * @param status HTTP status
 * @param retryHeader value of {@link ResponsePolicy#RETRY_HEADER}; null if missing
 * @param retryAfter value of Retry-After; null if missing
 */
record CallbackResponse(
        int status, @Nullable String retryHeader, @Nullable String retryAfter) {}
