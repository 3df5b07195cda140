package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.lettuce.core.AbstractRedisClient;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Creates clients over the Redis client of a connection factory, which has another one after each of its starts. */
final class ClientsOfFactory {

    private final LettuceConnectionFactory factory;
    private final DelayQueueOptions options;
    private volatile @Nullable AbstractRedisClient used;

    ClientsOfFactory(LettuceConnectionFactory factory, DelayQueueOptions options) {
        this.factory = factory;
        this.options = options;
    }

    /** Creates a client; starts the factory if it is not running. */
    DelayQueueClient create() {
        DelayQueueClient client = LettuceClients.delayQueueClient(factory, options);
        used = factory.getNativeClient();
        return client;
    }

    /** Whether the factory was stopped and started since the last client was created, which can't reach Redis any more. */
    boolean wasRestarted() {
        try {
            return factory.isRunning() && factory.getNativeClient() != used;
        } catch (IllegalStateException stoppedMeanwhile) {
            return false;
        }
    }

    /** Lifecycle phase of the clients: they start after, and stop before, the factory. */
    int phase() {
        return factory.getPhase() + 1;
    }
}
