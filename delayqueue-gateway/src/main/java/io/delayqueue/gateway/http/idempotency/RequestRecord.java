package io.delayqueue.gateway.http.idempotency;

import io.delayqueue.gateway.http.body.Answer;
import org.jspecify.annotations.Nullable;

/**
 * A request with an Idempotency-Key, as it is kept.
 *
 * @param fingerprint hash of its body
 * @param seed ids of its messages are derived from it
 * @param begunMillis time at which it began; negative if it ended without a certain outcome, so that it may be repeated at once
 * @param answer its answer; null if there is none
 */
record RequestRecord(
        String fingerprint,
        String seed,
        long begunMillis,
        @Nullable Answer answer) {

    /** This request with its answer. */
    RequestRecord answered(Answer given) {
        return new RequestRecord(fingerprint, seed, begunMillis, given);
    }

    /** This request, begun once more. */
    RequestRecord begun(long millis) {
        return new RequestRecord(fingerprint, seed, millis, null);
    }

    /** This request, which ended without a certain outcome. */
    RequestRecord uncertain() {
        return new RequestRecord(fingerprint, seed, -begunMillis, null);
    }

    /** Whether the other is a record of the same attempt, with or without its answer. */
    boolean isSameAttempt(RequestRecord other) {
        return seed.equals(other.seed) && begunMillis == other.begunMillis;
    }
}
