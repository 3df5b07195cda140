package io.delayqueue.spring.operator;

import io.delayqueue.DeadLetters;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.PendingMessages.Position;
import io.delayqueue.RedriveOptions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a plan counted, and a step of what is done to them. Dead letters are bound by time, which Redis notes when they
 * die. Pending messages have no time of arrival, nor has an error an index: those are bound by their ids, too.
 *
 * @param request what was asked for
 * @param until latest time
 * @param ids of the messages; null for all until that time
 * @param count their number
 * @param matching number of messages that the request means
 */
record PlannedMessages(
        BulkRequest request, Instant until, @Nullable List<String> ids, long count, long matching) {

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
            return new PlannedMessages(bounded, until, null, count, count);
        }
        List<String> ids = LatestErrors.of(dead).ids(request.errorGroup(), until);
        return new PlannedMessages(bounded, until, ids, ids.size(), ids.size());
    }

    private static PlannedMessages pending(DelayQueueClient client, BulkRequest request) {
        Instant until = request.until() == null ? Delay.LATEST : request.until();
        PendingMessages pending = client.pending(request.topic());
        long matching = until.isBefore(Delay.LATEST)
                ? pending.countDue(List.of(until.plus(1, ChronoUnit.MICROS))).get(0)
                : pending.countDue(List.of(Delay.LATEST)).stream()
                        .mapToLong(Long::longValue)
                        .sum();
        List<String> ids = idsOf(pending, until);
        BulkRequest bounded = new BulkRequest(request.operation(), request.topic(), until, null);
        return new PlannedMessages(bounded, until, ids, ids.size(), Math.max(matching, ids.size()));
    }

    private static List<String> idsOf(PendingMessages pending, Instant until) {
        List<String> ids = new ArrayList<>();
        Position after = Position.FIRST;
        while (ids.size() < BulkOperations.MAX_PENDING) {
            int limit = Math.min(PendingMessages.MAX_PAGE_SIZE, BulkOperations.MAX_PENDING - ids.size());
            List<PendingMessage> page = pending.list(after, limit);
            page.stream().filter(message -> !message.due().isAfter(until)).forEach(message -> ids.add(message.id()));
            if (page.size() < limit || page.get(page.size() - 1).due().isAfter(until)) {
                break;
            }
            after = page.get(page.size() - 1).position();
        }
        return List.copyOf(ids);
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
            return client.pending(request.topic()).purgeDueUntil(until, some);
        }
        DeadLetters dead = client.deadLetters(request.topic());
        return request.operation() == Operation.REDRIVE
                ? dead.redriveUntil(until, some, RedriveOptions.defaults())
                : dead.purgeUntil(until, some);
    }

    /**
     * What a step did.
     *
     * @param taken number of messages that it tried
     * @param changed number of those that it changed
     * @param isLast whether none is left
     */
    record Step(long taken, long changed, boolean isLast) {}
}
