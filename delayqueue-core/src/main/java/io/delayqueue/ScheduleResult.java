package io.delayqueue;

import java.util.Objects;

/**
 * Result of a {@code schedule} call.
 *
 * @param id the message's id, given or generated
 * @param outcome whether it was scheduled
 */
public record ScheduleResult(String id, ScheduleOutcome outcome) {
    public ScheduleResult {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(outcome, "outcome");
    }
}
