package io.delayqueue.internal.store;

import io.delayqueue.MessageState;
import io.delayqueue.ScheduleOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of a batch of scheduled messages.
 *
 * @param outcomes one for each message, in their order; null where the topic was full
 * @param existing for each message that was kept out by another one with its id, in their order, the state of that one
 * @param headWaitMicros µs until the partition's new first message is due; -1 if the first message did not change
 */
public record ScheduleAnswer(
        List<@Nullable ScheduleOutcome> outcomes, List<MessageState> existing, long headWaitMicros) {}
