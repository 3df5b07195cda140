package io.delayqueue;

import java.util.Objects;

/**
 * Answer to a {@code schedule} call.
 *
 * @param id the message's id, given or generated
 * @param outcome what became of it
 */
public record ScheduleResult(String id, ScheduleOutcome outcome) {
    public ScheduleResult {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(outcome, "outcome");
    }
}
