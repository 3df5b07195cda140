package io.delayqueue.server;

import io.delayqueue.test.EmbeddedRedis;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * With {@code --demo}: a Redis of its own, which is empty at the start and gone at the end, and an API and an endpoint for SQS clients
 * that are open to programs of this machine.
 */
final class Demo implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final Logger log = LoggerFactory.getLogger(Demo.class);

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        if (!isAskedFor(context)) {
            return;
        }
        EmbeddedRedis redis = EmbeddedRedis.start();
        // registered first, so that it is destroyed last
        ((DefaultSingletonBeanRegistry) context.getBeanFactory()).registerDisposableBean("demoRedis", redis::close);
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "demo",
                        Map.of(
                                "spring.data.redis.url",
                                redis.uri(),
                                "server.address",
                                "127.0.0.1",
                                "management.server.address",
                                "127.0.0.1",
                                "delayqueue.gateway.open",
                                "true",
                                "delayqueue.gateway.sqs.enabled",
                                "true")));
        log.warn("Demonstration: everything is forgotten at the end, and programs of this machine may do everything");
    }

    private static boolean isAskedFor(ConfigurableApplicationContext context) {
        String demo = context.getEnvironment().getProperty("demo");
        // an argument without a value is an empty text
        return demo != null && !demo.equalsIgnoreCase("false");
    }
}
