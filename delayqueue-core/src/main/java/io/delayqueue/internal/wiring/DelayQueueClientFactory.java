package io.delayqueue.internal.wiring;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.internal.engine.Engine;
import io.delayqueue.internal.redis.RedisMessageStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;

/** Puts the engine on top of Redis. */
public final class DelayQueueClientFactory {

    private DelayQueueClientFactory() {}

    /** See {@link DelayQueueClient#create(RedisClient, DelayQueueOptions)}. */
    public static DelayQueueClient create(RedisClient client, DelayQueueOptions options) {
        return new Engine(RedisMessageStore.create(client, options), options);
    }

    /** See {@link DelayQueueClient#create(RedisClusterClient, DelayQueueOptions)}. */
    public static DelayQueueClient create(RedisClusterClient client, DelayQueueOptions options) {
        return new Engine(RedisMessageStore.create(client, options), options);
    }
}
