package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Finds the Redis client of the application's connection factory, and creates a {@link DelayQueueClient} over it. */
final class LettuceClients {

    /** Spring Boot defines the application's own connection factory only if this one is no default candidate. */
    private static final String ANOTHER_FACTORY =
            "define a LettuceConnectionFactory for the delay queue only, with @Bean(name = \""
                    + DelayQueueAutoConfiguration.CONNECTION_FACTORY + "\", defaultCandidate = false)";

    private LettuceClients() {}

    /**
     * The connection factory: the delay queue's own if there is one, else the application's.
     *
     * @throws UnusableConnectionFactoryException if no bean is suitable, or the delay queue's own would be the application's
     *     too
     */
    static LettuceConnectionFactory factory(
            ObjectProvider<RedisConnectionFactory> own,
            ObjectProvider<RedisConnectionFactory> applications,
            ObjectProvider<DataRedisConnectionDetails> details) {
        RedisConnectionFactory factory = own.getIfAvailable();
        if (factory == null) {
            details.ifAvailable(LettuceClients::refuseStaticReplicas);
            factory = unique(applications);
        } else {
            refuseForTheApplication(factory, applications);
        }
        if (factory == null) {
            throw new UnusableConnectionFactoryException(
                    "The delay queue needs Redis, but there is no RedisConnectionFactory bean.",
                    "Set spring.data.redis.* and don't exclude DataRedisAutoConfiguration; or " + ANOTHER_FACTORY
                            + "; or set delayqueue.enabled=false.");
        }
        if (factory instanceof LettuceConnectionFactory lettuce) {
            return lettuce;
        }
        throw new UnusableConnectionFactoryException(
                "The delay queue needs Lettuce, but the application's connection factory is a "
                        + factory.getClass().getName() + ".",
                "Set spring.data.redis.client-type=lettuce, or " + ANOTHER_FACTORY + ".");
    }

    /**
     * A client over the factory's Redis client; starts the factory if it is not running.
     *
     * @throws UnusableConnectionFactoryException if its Redis client is of an unknown type
     */
    static DelayQueueClient delayQueueClient(LettuceConnectionFactory factory, DelayQueueOptions options) {
        if (!factory.isRunning()) {
            factory.start();
        }
        AbstractRedisClient redis = factory.getRequiredNativeClient();
        if (redis instanceof RedisClient redisClient) {
            return DelayQueueClient.create(redisClient, options);
        }
        if (redis instanceof RedisClusterClient clusterClient) {
            return DelayQueueClient.create(clusterClient, options);
        }
        throw new UnusableConnectionFactoryException(
                "The connection factory's client is a " + redis.getClass().getName()
                        + ", neither a RedisClient nor a RedisClusterClient.",
                "Set spring.data.redis.*, or " + ANOTHER_FACTORY + ".");
    }

    /**
     * Spring Boot defines the application's connection factory only if there is no default candidate. So if the delay queue's
     * own is one, the application's templates, cache and sessions silently get the delay queue's Redis.
     */
    private static void refuseForTheApplication(
            RedisConnectionFactory own, ObjectProvider<RedisConnectionFactory> applications) {
        if (applications.getIfUnique() == own) {
            throw new UnusableConnectionFactoryException(
                    "The connection factory '" + DelayQueueAutoConfiguration.CONNECTION_FACTORY
                            + "' is meant for the delay queue only, but is a default candidate and the only one. So the"
                            + " application's own StringRedisTemplate, cache and sessions would use the delay queue's Redis.",
                    "Define it with @Bean(name = \"" + DelayQueueAutoConfiguration.CONNECTION_FACTORY
                            + "\", defaultCandidate = false), so that Spring Boot defines the application's from"
                            + " spring.data.redis.*. If both shall use the same Redis, give the bean another name.");
        }
    }

    /** The Redis client of such a factory does not know which node is the master. */
    private static void refuseStaticReplicas(DataRedisConnectionDetails details) {
        if (details.getMasterReplica() != null) {
            throw new UnusableConnectionFactoryException(
                    "The connection factory has static master and replica nodes, which the delay queue does not support.",
                    "Use Redis Sentinel, or " + ANOTHER_FACTORY + ".");
        }
    }

    private static @Nullable RedisConnectionFactory unique(ObjectProvider<RedisConnectionFactory> applications) {
        try {
            return applications.getIfAvailable();
        } catch (NoUniqueBeanDefinitionException e) {
            throw new UnusableConnectionFactoryException(
                    "There are several RedisConnectionFactory beans and none is primary: " + e.getBeanNamesFound()
                            + ".",
                    "Mark one @Primary, or " + ANOTHER_FACTORY + ".");
        }
    }
}
