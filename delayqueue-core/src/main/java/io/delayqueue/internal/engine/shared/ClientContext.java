package io.delayqueue.internal.engine.shared;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.internal.store.MessageStore;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The collaborators that all topics of a client share.
 *
 * @param options of the client
 * @param store keeps the messages
 * @param partitions how many partitions each topic has
 * @param retention purges old dead letters
 * @param observer the user's, made safe
 * @param timer runs short tasks that don't block
 * @param redisLog warns while Redis can't be reached
 */
public record ClientContext(
        DelayQueueOptions options,
        MessageStore store,
        TopicPartitions partitions,
        DeadLetterRetention retention,
        SafeObserver observer,
        ScheduledExecutorService timer,
        ThrottledLog redisLog) {}
