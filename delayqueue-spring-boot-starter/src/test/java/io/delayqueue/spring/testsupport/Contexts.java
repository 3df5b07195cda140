package io.delayqueue.spring.testsupport;

import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueEventsAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueListenerAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueOperatorAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueStartupChecksAutoConfiguration;
import io.delayqueue.test.EmbeddedRedis;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;

/**
 * Applications for tests: the starter's main line, without optional features. Redis may take its time to answer, since the
 * first application of a JVM is a slow one.
 */
public final class Contexts {

    private Contexts() {}

    /** An application on no particular Redis. */
    public static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        PropertyPlaceholderAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        ValidationAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        DelayQueueEventsAutoConfiguration.class,
                        DelayQueueJacksonAutoConfiguration.class,
                        DelayQueueListenerAutoConfiguration.class,
                        DelayQueueOperatorAutoConfiguration.class,
                        DelayQueueStartupChecksAutoConfiguration.class))
                .withPropertyValues(
                        "delayqueue.listener.backoff.initial=20ms",
                        "delayqueue.listener.backoff.jitter=0",
                        "delayqueue.command-timeout=20s",
                        "delayqueue.shutdown-timeout=5s");
    }

    /** An application on this Redis, which is running; its user is the documented one. */
    public static ApplicationContextRunner runner(EmbeddedRedis redis) {
        DocumentedUser.create(redis);
        return runner(redis.port())
                .withPropertyValues(
                        "spring.data.redis.username=" + DocumentedUser.NAME,
                        "spring.data.redis.password=" + DocumentedUser.password());
    }

    /** An application on the Redis at this port of the loopback interface; its user is the default one. */
    public static ApplicationContextRunner runner(int port) {
        return runner().withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + port);
    }
}
