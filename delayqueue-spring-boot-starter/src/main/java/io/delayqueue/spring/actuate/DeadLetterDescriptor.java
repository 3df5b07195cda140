package io.delayqueue.spring.actuate;

import io.delayqueue.DeadLetter;
import java.time.Instant;

/**
 * A message that was given up.
 *
 * @param id its id
 * @param attempts how often it was delivered
 * @param error why it was given up
 * @param scheduledAt when it was scheduled
 * @param deadLetteredAt when it was given up
 * @param payloadSize bytes of its payload
 */
public record DeadLetterDescriptor(
        String id, int attempts, String error, Instant scheduledAt, Instant deadLetteredAt, int payloadSize) {

    static DeadLetterDescriptor of(DeadLetter letter) {
        return new DeadLetterDescriptor(
                letter.id(),
                letter.attempts(),
                letter.error(),
                letter.scheduledAt(),
                letter.deadLetteredAt(),
                letter.payload().length);
    }
}
