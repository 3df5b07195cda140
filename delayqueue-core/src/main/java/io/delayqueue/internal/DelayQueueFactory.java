package io.delayqueue.internal;

import io.delayqueue.DelayQueue;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.internal.engine.Engine;
import io.delayqueue.internal.redis.RedisMessageStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;

/** Puts the engine on top of Redis. */
public final class DelayQueueFactory {

    private DelayQueueFactory() {}

    /** See {@link DelayQueue#create(RedisClient, DelayQueueOptions)}. */
    public static DelayQueue create(RedisClient client, DelayQueueOptions options) {
        return new Engine(RedisMessageStore.over(client, options), options);
    }

    /** See {@link DelayQueue#create(RedisClusterClient, DelayQueueOptions)}. */
    public static DelayQueue create(RedisClusterClient client, DelayQueueOptions options) {
        return new Engine(RedisMessageStore.over(client, options), options);
    }
}
