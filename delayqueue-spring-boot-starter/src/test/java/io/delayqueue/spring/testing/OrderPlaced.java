package io.delayqueue.spring.testing;

import jakarta.validation.constraints.Positive;

/**
 * A payload.
 *
 * @param number positive, where validated
 * @param customer whose it is
 */
public record OrderPlaced(@Positive int number, String customer) {}
