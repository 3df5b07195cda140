package io.delayqueue.internal.engine;

import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetters;
import io.delayqueue.Delay;
import io.delayqueue.internal.Names;
import io.delayqueue.internal.store.MessageStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** One topic's dead letters. Long calls go in steps, so that the store never stalls. */
final class TopicDeadLetters implements DeadLetters {

    private final String topic;
    private final MessageStore store;
    private final Waiting waiting;
    private final Runnable redriven;

    /** @param redriven told when messages became due */
    TopicDeadLetters(String topic, MessageStore store, Waiting waiting, Runnable redriven) {
        this.topic = topic;
        this.store = store;
        this.waiting = waiting;
        this.redriven = redriven;
    }

    @Override
    public List<DeadLetter> list(int offset, int limit) {
        if (offset < 0 || limit < 1 || limit > LARGEST_PAGE) {
            throw new IllegalArgumentException(
                    "a page of dead letters needs an offset of at least 0 and a limit of 1 to " + LARGEST_PAGE
                            + ", not " + offset + " and " + limit);
        }
        return waiting.await(store.deadLetters(topic, offset, limit), topic, null);
    }

    @Override
    public long redrive(Collection<String> ids) {
        return inSteps(ids, step -> store.redrive(topic, step).whenComplete((count, error) -> redriven.run()));
    }

    @Override
    public long redriveAll() {
        long total = 0;
        long until = MessageStore.NOW;
        while (true) {
            MessageStore.RedriveStep step = waiting.await(store.redriveUntil(topic, until), topic, null);
            total += step.count();
            redriven.run();
            if (step.count() < MessageStore.LARGEST_BATCH) {
                return total;
            }
            // what dies again meanwhile is left for the next call
            until = until == MessageStore.NOW ? step.timeMicros() : until;
        }
    }

    @Override
    public long purge(Collection<String> ids) {
        return inSteps(ids, step -> store.purge(topic, step));
    }

    @Override
    public long purgeOlderThan(Duration age) {
        if (age.isNegative() || age.compareTo(Delay.LONGEST) > 0) {
            throw new IllegalArgumentException("age must be from 0 to " + Delay.LONGEST + ", not " + age);
        }
        long total = 0;
        while (true) {
            long count = waiting.await(store.purgeOlderThan(topic, age), topic, null);
            total += count;
            if (count < MessageStore.LARGEST_BATCH) {
                return total;
            }
        }
    }

    private long inSteps(Collection<String> ids, Function<List<String>, CompletableFuture<Long>> call) {
        List<String> distinct = new ArrayList<>(new LinkedHashSet<>(ids));
        distinct.forEach(id -> Names.requireId(topic, id));
        long total = 0;
        for (int from = 0; from < distinct.size(); from += MessageStore.LARGEST_BATCH) {
            List<String> step = distinct.subList(from, Math.min(from + MessageStore.LARGEST_BATCH, distinct.size()));
            total += waiting.await(call.apply(step), topic, null);
        }
        return total;
    }
}
