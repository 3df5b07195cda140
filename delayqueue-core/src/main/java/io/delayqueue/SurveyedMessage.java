package io.delayqueue;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message as Redis has it, to be compared with another store by {@link Survey}.
 *
 * @param id its id
 * @param generation tells it from other messages that have had its id, see {@link OutgoingMessage#generation()}; empty if its body was
 *     deleted or evicted
 * @param state {@link MessageState#SCHEDULED}, {@link MessageState#READY}, {@link MessageState#IN_FLIGHT} or {@link MessageState#DEAD};
 *     null if keys around it were deleted or evicted, so that no consumer will get it
 * @param dueMicros its due time in µs since the epoch, by Redis' clock; 0 if it is in flight, dead, or not known
 * @param deadSinceMicros when it became a dead letter, in µs since the epoch by Redis' clock; 0 if it is none
 * @param attempts failed attempts so far
 */
public record SurveyedMessage(
        String id,
        String generation,
        @Nullable MessageState state,
        long dueMicros,
        long deadSinceMicros,
        int attempts) {

    public SurveyedMessage {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(generation, "generation");
    }
}
