package io.delayqueue.spring.operator;

import io.delayqueue.DeadLetters;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageState;
import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.PendingMessages.Position;
import io.delayqueue.RedriveOptions;
import io.delayqueue.Survey;
import io.delayqueue.SurveyedMessage;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a plan counted, and a step of what is done to them. Dead letters are bound by time, which Redis notes when they are
 * dead-lettered: one of the same id that is dead-lettered later stays. An error has no index, so its dead letters are bound by their ids,
 * too. Pending messages have no time of arrival: they are bound by ids and generations, so one that replaces another stays.
 *
 * @param request what was asked for
 * @param until latest time
 * @param ids of the messages; null for all until that time
 * @param generations of pending messages, by id; empty for dead letters
 * @param count their number
 * @param matching number of messages that match the request
 */
record PlannedMessages(
        BulkRequest request,
        Instant until,
        @Nullable List<String> ids,
        Map<String, String> generations,
        long count,
        long matching) {

    static PlannedMessages of(DelayQueueClient client, BulkRequest request) {
        return request.operation() == Operation.PURGE_PENDING ? pending(client, request) : dead(client, request);
    }

    private static PlannedMessages dead(DelayQueueClient client, BulkRequest request) {
        Instant now = client.stats(request.topic()).time();
        Instant until = request.until() == null || request.until().isAfter(now) ? now : request.until();
        DeadLetters dead = client.deadLetters(request.topic());
        BulkRequest bounded = new BulkRequest(request.operation(), request.topic(), until, request.errorGroup());
        if (request.errorGroup() == null) {
            long count = dead.countUntil(until);
            return new PlannedMessages(bounded, until, null, Map.of(), count, count);
        }
        List<String> ids = LatestErrors.of(dead).ids(request.errorGroup(), until);
        return new PlannedMessages(bounded, until, ids, Map.of(), ids.size(), ids.size());
    }

    private static PlannedMessages pending(DelayQueueClient client, BulkRequest request) {
        Instant until = request.until() == null ? Delay.LATEST : request.until();
        PendingMessages pending = client.pending(request.topic());
        long matching = until.isBefore(Delay.LATEST)
                ? pending.countDue(List.of(until.plus(1, ChronoUnit.MICROS))).get(0)
                : pending.countDue(List.of(Delay.LATEST)).stream()
                        .mapToLong(Long::longValue)
                        .sum();
        Map<String, String> generations = generationsOf(pending, client.survey(request.topic()), until);
        BulkRequest bounded = new BulkRequest(request.operation(), request.topic(), until, null);
        List<String> ids = List.copyOf(generations.keySet());
        return new PlannedMessages(bounded, until, ids, generations, ids.size(), Math.max(matching, ids.size()));
    }

    private static Map<String, String> generationsOf(PendingMessages pending, Survey survey, Instant until) {
        long untilMicros = until.getEpochSecond() * 1_000_000 + until.getNano() / 1_000;
        Map<String, String> generations = new LinkedHashMap<>();
        Position after = Position.FIRST;
        while (generations.size() < BulkOperations.MAX_PENDING) {
            int limit = Math.min(PendingMessages.MAX_PAGE_SIZE, BulkOperations.MAX_PENDING - generations.size());
            List<PendingMessage> page = pending.list(after, limit);
            List<String> ids = page.stream()
                    .filter(message -> !message.due().isAfter(until))
                    .map(PendingMessage::id)
                    .toList();
            survey.find(ids).messages().stream()
                    .filter(message -> isPending(message) && message.dueMicros() <= untilMicros)
                    .forEach(message -> generations.put(message.id(), message.generation()));
            if (ids.size() < limit) {
                break;
            }
            after = page.get(page.size() - 1).position();
        }
        return generations;
    }

    private static boolean isPending(SurveyedMessage message) {
        return message.state() == MessageState.SCHEDULED || message.state() == MessageState.READY;
    }

    /**
     * One step.
     *
     * @param taken number of messages that the steps before took
     */
    Step step(DelayQueueClient client, long taken, int limit) {
        List<String> all = ids;
        if (all == null) {
            long changed = allUntil(client.deadLetters(request.topic()), limit);
            return new Step(changed, changed, changed < limit);
        }
        List<String> some = all.subList((int) taken, (int) Math.min(taken + limit, all.size()));
        long changed = some.isEmpty() ? 0 : some(client, some);
        return new Step(some.size(), changed, taken + some.size() == all.size());
    }

    private long allUntil(DeadLetters dead, int limit) {
        return request.operation() == Operation.REDRIVE
                ? dead.redriveUntil(until, limit, RedriveOptions.defaults())
                : dead.purgeUntil(until, limit);
    }

    private long some(DelayQueueClient client, List<String> some) {
        if (request.operation() == Operation.PURGE_PENDING) {
            Map<String, String> planned = new LinkedHashMap<>();
            some.forEach(id -> planned.put(id, String.valueOf(generations.get(id))));
            return client.pending(request.topic()).purgeDueUntil(until, planned);
        }
        DeadLetters dead = client.deadLetters(request.topic());
        return request.operation() == Operation.REDRIVE
                ? dead.redriveUntil(until, some, RedriveOptions.defaults())
                : dead.purgeUntil(until, some);
    }

    /**
     * The result of a step.
     *
     * @param taken number of messages that it tried
     * @param changed number of those that it changed
     * @param isLast whether none is left
     */
    record Step(long taken, long changed, boolean isLast) {}
}
