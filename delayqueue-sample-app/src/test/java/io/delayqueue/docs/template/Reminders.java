package io.delayqueue.docs.template;

import io.delayqueue.BulkScheduleException;
import io.delayqueue.BulkScheduleException.Entry;
import io.delayqueue.CancelOutcome;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.spring.DelayQueueOperations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Calls of the template that the README shows. */
class Reminders {

    private final DelayQueueOperations delayQueue;

    Reminders(DelayQueueOperations delayQueue) {
        this.delayQueue = delayQueue;
    }

    String inAnHour(Reminder reminder) {
        // tag::schedule[]
        String id = delayQueue.schedule("reminder", reminder, Duration.ofHours(1)); // or an Instant
        // end::schedule[]
        return id;
    }

    ScheduleResult before(Appointment appointment, Reminder reminder, String tenant) {
        // tag::options[]
        ScheduleResult result = delayQueue
                .message("reminder", reminder)
                .id("reminder-" + appointment.id()) // yours; without it one is generated
                .dueAt(appointment.time().minus(Duration.ofHours(2)))
                .ifExists(DuplicatePolicy.REPLACE) // or KEEP, or REJECT (the default)
                .priority(9) // 0 to 9, higher first among due messages; 4 by default
                .timeToLive(Duration.ofHours(3)) // dropped if no listener got it within 3 hours of its due time
                .maxAttempts(2)
                .header("tenant", tenant)
                .schedule(); // SCHEDULED, REPLACED, KEPT or REJECTED_DUPLICATE
        // end::options[]
        return result;
    }

    List<ScheduleResult> repeat(Reminder reminder) {
        // tag::repeat[]
        OutgoingMessage message = delayQueue
                .message("reminder", reminder)
                .delay(Duration.ofHours(1))
                .build(); // has its id from now on

        ScheduleResult result;
        try {
            result = delayQueue.schedule(message);
        } catch (RedisUnavailableException e) {
            result = delayQueue.schedule(message); // the first answer if it had arrived, and one message
        }
        // end::repeat[]
        return List.of(result, delayQueue.schedule(message));
    }

    List<ScheduleResult> many(List<OutgoingMessage> messages) {
        // tag::bulk[]
        List<ScheduleResult> results = new ArrayList<>();
        try {
            results.addAll(delayQueue.scheduleAll(messages)); // in the order of the messages
        } catch (BulkScheduleException e) {
            // the result or the exception of each
            e.entries().stream().map(Entry::result).filter(Objects::nonNull).forEach(results::add);
            results.addAll(delayQueue.scheduleAll(e.failedMessages()));
        }
        // end::bulk[]
        return results;
    }

    Changes change(String id) {
        // tag::change[]
        RescheduleOutcome rescheduled = delayQueue.reschedule("reminder", id, Duration.ofMinutes(5)); // or an Instant
        Optional<MessageInfo> found = delayQueue.find("reminder", id); // state, due time, attempt, headers, payload
        CancelOutcome cancelled = delayQueue.cancel("reminder", id); // CANCELLED, IN_FLIGHT or NOT_FOUND
        // end::change[]
        return new Changes(rescheduled, found, cancelled);
    }

    record Changes(RescheduleOutcome rescheduled, Optional<MessageInfo> found, CancelOutcome cancelled) {}

    record Reminder(String text) {}

    record Appointment(String id, Instant time) {}
}
