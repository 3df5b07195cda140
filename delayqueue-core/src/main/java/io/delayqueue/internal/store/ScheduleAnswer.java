package io.delayqueue.internal.store;

import io.delayqueue.ScheduleOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of a batch.
 *
 * @param outcomes one for each message, in their order; null where the topic was full
 * @param headWaitMicros µs until the partition's new first message is due; -1 if the first message did not change
 */
public record ScheduleAnswer(List<@Nullable ScheduleOutcome> outcomes, long headWaitMicros) {}
