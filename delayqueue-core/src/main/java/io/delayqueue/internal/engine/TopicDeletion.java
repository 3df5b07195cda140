package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DeleteTopicOutcome;
import io.delayqueue.TopicStats;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.MessageStore.DeleteStep;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Deletes one topic: each partition in bounded steps, the first one last, as it knows how many there are; then its name.
 *
 * @param topic to be deleted
 * @param client store, partitions and observer
 * @param registered forgets that the topic was registered
 */
record TopicDeletion(String topic, ClientContext client, BlockingCall blocking, RegisteredTopics registered) {

    /** Steps beyond those for the messages counted before: some come meanwhile, and some steps find few. */
    private static final long MAX_MORE_STEPS = 100;

    DeleteTopicOutcome run(boolean force) {
        int count = await(client.partitions().ask(topic)).partitions();
        TopicStats before = stats();
        long messages = before.pending().total() + before.inFlight() + before.dead();
        if (messages > 0 && !force) {
            // before some partition loses its counters
            return DeleteTopicOutcome.NOT_EMPTY;
        }
        announce();
        long beganNanos = System.nanoTime();
        boolean deleted = false;
        long steps = messages / MessageStore.LARGEST_BATCH + MAX_MORE_STEPS + count;
        for (int number = count - 1; number >= 0; ) {
            DeleteStep step = steps-- > 0 ? step(number, force) : DeleteStep.NOT_EMPTY;
            if (step == DeleteStep.NOT_EMPTY) {
                return DeleteTopicOutcome.NOT_EMPTY;
            }
            deleted |= step != DeleteStep.ABSENT;
            number -= step == DeleteStep.UNFINISHED ? 0 : 1;
        }
        deleted |= unregister(count);
        if (deleted) {
            client.observer()
                    .call(observer -> observer.topicDeleted(topic, Duration.ofNanos(System.nanoTime() - beganNanos)));
        }
        return deleted ? DeleteTopicOutcome.DELETED : DeleteTopicOutcome.NOT_FOUND;
    }

    private void announce() {
        try {
            client.observer().announce(observer -> observer.topicDeleting(topic));
        } catch (RuntimeException e) {
            throw new DelayQueueException(
                    "topic '" + topic + "' was not deleted, as an observer refused it: " + e
                            + "; repeat the call once the cause is fixed",
                    topic,
                    null,
                    e);
        }
    }

    private DeleteStep step(int number, boolean force) {
        return await(client.partitions()
                .with(
                        topic,
                        partitioning -> client.store()
                                .deleteTopic(new Partition(topic, number, partitioning.partitions()), force)));
    }

    private boolean unregister(int count) {
        boolean removed = await(client.store().unregister(topic));
        if (stats().totals().accepted() > 0) {
            // a message came meanwhile, from a process that had the topic registered before
            await(client.store().register(topic));
            await(client.partitions().update(topic, count));
        }
        // after the last look: a process that does not know the topic may create it again
        client.partitions().forget(topic);
        registered.forget(topic);
        return removed;
    }

    private TopicStats stats() {
        return await(new StatsCall(client.store(), client.partitions()).of(Set.of(topic)))
                .values()
                .iterator()
                .next();
    }

    private <T> T await(CompletableFuture<T> answer) {
        return blocking.await(answer, topic, null);
    }
}
