package io.delayqueue.gateway.http.body;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.gateway.http.problem.Problem;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The answer about one message of a request.
 *
 * @param id id of the message; null if it could not be read
 * @param outcome scheduled, replaced, kept or rejected_duplicate; null if it failed
 * @param due due time, for a delay by the gateway's clock; null if another message was kept
 * @param status HTTP status that a request with this message alone would get
 * @param problem the failure; null if none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScheduledView(
        @Nullable String id,
        @Nullable String outcome,
        @Nullable Instant due,
        int status,
        @Nullable Problem problem) {

    /** A message that could not be scheduled. */
    public static ScheduledView failed(@Nullable String id, Problem problem) {
        return new ScheduledView(id, null, null, problem.status(), problem);
    }

    /** The result of a message. */
    public static ScheduledView of(OutgoingMessage message, ScheduleResult result, Clock clock) {
        String outcome = result.outcome().name().toLowerCase(Locale.ROOT);
        if (result.outcome() == ScheduleOutcome.REJECTED_DUPLICATE) {
            String existing =
                    result.existing() == null ? null : result.existing().name().toLowerCase(Locale.ROOT);
            Problem problem = Problem.duplicate("message '" + result.id() + "' exists", existing);
            return new ScheduledView(result.id(), outcome, null, problem.status(), problem);
        }
        Instant due = result.outcome() == ScheduleOutcome.KEPT ? null : due(message.delay(), clock);
        int status = result.outcome() == ScheduleOutcome.SCHEDULED ? 201 : 200;
        return new ScheduledView(result.id(), outcome, due, status, null);
    }

    /** The instant at which a delay that began a moment ago is over. */
    public static Instant due(Delay delay, Clock clock) {
        return delay instanceof Delay.After after
                ? clock.instant().plus(after.duration()).truncatedTo(ChronoUnit.MILLIS)
                : ((Delay.At) delay).due();
    }
}
