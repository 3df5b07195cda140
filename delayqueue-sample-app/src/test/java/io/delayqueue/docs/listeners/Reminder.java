package io.delayqueue.docs.listeners;

import jakarta.validation.constraints.NotBlank;

/** A payload. */
record Reminder(@NotBlank String text) {}
