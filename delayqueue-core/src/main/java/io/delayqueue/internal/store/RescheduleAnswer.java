package io.delayqueue.internal.store;

import io.delayqueue.RescheduleOutcome;
import java.util.List;

/**
 * What became of a batch.
 *
 * @param outcomes one for each message in turn
 * @param waitMicros µs until they are due
 */
public record RescheduleAnswer(List<RescheduleOutcome> outcomes, long waitMicros) {}
