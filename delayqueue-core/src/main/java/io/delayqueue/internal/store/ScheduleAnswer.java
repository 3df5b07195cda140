package io.delayqueue.internal.store;

import io.delayqueue.ScheduleOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a batch.
 *
 * @param outcomes one for each message in turn; null where the topic was full
 * @param headWaitMicros µs until the topic's new first message is due; -1 if the first did not change
 */
public record ScheduleAnswer(List<@Nullable ScheduleOutcome> outcomes, long headWaitMicros) {}
