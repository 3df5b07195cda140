package io.delayqueue.gateway.http.idempotency;

import io.delayqueue.gateway.http.body.Answer;
import org.jspecify.annotations.Nullable;

/**
 * A request with an Idempotency-Key, as it is kept.
 *
 * @param fingerprint hash of its body
 * @param seed ids of its messages are derived from it
 * @param begunMillis time at which it began; 0 if it ended without a certain outcome
 * @param answer its answer; null if there is none
 */
record RequestRecord(
        String fingerprint,
        String seed,
        long begunMillis,
        @Nullable Answer answer) {}
