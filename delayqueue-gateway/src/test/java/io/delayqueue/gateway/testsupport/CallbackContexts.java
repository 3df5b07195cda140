package io.delayqueue.gateway.testsupport;

import io.delayqueue.gateway.autoconfigure.CallbacksAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.test.EmbeddedRedis;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications without a web server whose topic {@code hooks} calls a port of this machine. */
public final class CallbackContexts {

    private CallbackContexts() {}

    /** One on this Redis, with further auto-configurations. */
    public static ApplicationContextRunner runner(EmbeddedRedis redis, int port, Class<?>... autoConfigurations) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        JacksonAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        DelayQueueJacksonAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        CallbacksAutoConfiguration.class))
                .withConfiguration(AutoConfigurations.of(autoConfigurations))
                .withPropertyValues(
                        "spring.data.redis.url=" + redis.uri(),
                        "delayqueue.command-timeout=20s",
                        "delayqueue.shutdown-timeout=1s",
                        "delayqueue.gateway.callbacks.allow-http=true",
                        "delayqueue.gateway.callbacks.ports=" + port,
                        "delayqueue.gateway.callbacks.allowed-ranges=127.0.0.1,::1",
                        "delayqueue.callbacks.hooks.url=http://localhost:" + port + "/",
                        "delayqueue.callbacks.hooks.secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    }
}
