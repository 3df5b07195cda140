package io.delayqueue.spring.testsupport;

import jakarta.validation.constraints.Positive;

/**
 * A payload.
 *
 * @param number positive, where validated
 * @param customer whose it is
 */
public record OrderPlaced(@Positive int number, String customer) {}
