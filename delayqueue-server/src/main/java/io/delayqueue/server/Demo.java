package io.delayqueue.server;

import io.delayqueue.test.EmbeddedRedis;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * With {@code --demo}: a Redis of its own, which is empty at the start and gone at the end, and orders that keep coming. The API, the
 * endpoint for SQS clients and the dashboard are open to programs of this machine.
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
                        Map.ofEntries(
                                Map.entry("spring.data.redis.url", redis.uri()),
                                Map.entry("server.address", "127.0.0.1"),
                                Map.entry("management.server.address", "127.0.0.1"),
                                Map.entry("delayqueue.gateway.open", "true"),
                                Map.entry("delayqueue.gateway.sqs.enabled", "true"),
                                Map.entry("delayqueue.dashboard.enabled", "true"),
                                Map.entry("delayqueue.dashboard.open", "true"),
                                Map.entry("delayqueue.dashboard.write-enabled", "true"))));
        if (context instanceof GenericApplicationContext registry) {
            registry.registerBean(DemoTraffic.class);
        }
        log.warn("Demonstration: everything is forgotten at the end, and programs of this machine may do everything");
    }

    private static boolean isAskedFor(ConfigurableApplicationContext context) {
        String demo = context.getEnvironment().getProperty("demo");
        // an argument without a value is an empty text
        return demo != null && !demo.equalsIgnoreCase("false");
    }
}
