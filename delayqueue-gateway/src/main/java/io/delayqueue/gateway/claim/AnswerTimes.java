package io.delayqueue.gateway.claim;

import java.time.Duration;

/**
 * Times of an answer.
 *
 * @param longest time within which a client must have taken it
 * @param renewal time between two renewals of its messages' leases while it is written
 * @param threads keep these times
 */
public record AnswerTimes(Duration longest, Duration renewal, AnswerThreads threads) {

    /** Leases are renewed thrice before they end, since a process may pause. */
    private static final int RENEWALS_IN_A_LEASE = 3;

    /**
     * Times of answers whose messages have this lease until the answer is written.
     *
     * @param longest time within which a client must have taken an answer
     * @param threads keep these times
     */
    public static AnswerTimes of(Duration longest, Duration deliveryLease, AnswerThreads threads) {
        return new AnswerTimes(longest, deliveryLease.dividedBy(RENEWALS_IN_A_LEASE), threads);
    }
}
