package io.delayqueue.internal.store;

import io.delayqueue.RescheduleOutcome;
import java.util.List;

/**
 * The outcomes of a batch of rescheduled messages.
 *
 * @param outcomes one for each id, in their order
 * @param waitMicros µs until the messages are due
 */
public record RescheduleAnswer(List<RescheduleOutcome> outcomes, long waitMicros) {}
