package io.delayqueue.sample.receipt;

import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import java.math.BigDecimal;

/** A message: send this receipt. */
record Receipt(
        @NotBlank String orderId,
        @NotBlank @Email String to,
        @Positive BigDecimal amount) {}
