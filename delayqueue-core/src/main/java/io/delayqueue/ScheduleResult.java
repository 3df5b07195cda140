package io.delayqueue;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Result of a {@code schedule} call.
 *
 * @param id the message's id, given or generated
 * @param outcome whether it was scheduled
 * @param existing state of the message that has the id and stays: set with {@code KEPT} and {@code REJECTED_DUPLICATE}, else null
 */
public record ScheduleResult(
        String id, ScheduleOutcome outcome, @Nullable MessageState existing) {

    public ScheduleResult {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(outcome, "outcome");
    }

    /** A result that tells of no other message. */
    public ScheduleResult(String id, ScheduleOutcome outcome) {
        this(id, outcome, null);
    }
}
