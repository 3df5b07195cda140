package io.delayqueue.internal.engine;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageHandler;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.store.MessageStore;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What the parts of a consumer share.
 *
 * @param topic consumed
 * @param handler the user's
 * @param options the consumer's
 * @param queue the delay queue's options
 * @param store keeps the messages
 * @param layouts how many partitions the topic has
 * @param observers told what happens
 * @param timer for short tasks that don't block
 * @param redisOutage Redis as a whole
 * @param topicOutage this topic alone
 */
record ConsumerContext(
        String topic,
        MessageHandler handler,
        ConsumerOptions options,
        DelayQueueOptions queue,
        MessageStore store,
        TopicPartitions layouts,
        Observers observers,
        ScheduledExecutorService timer,
        Outage redisOutage,
        Outage topicOutage) {

    void failed(Throwable error) {
        (error instanceof RedisUnavailableException ? redisOutage : topicOutage).failed(error);
    }

    void succeeded() {
        redisOutage.succeeded();
        topicOutage.succeeded();
    }
}
