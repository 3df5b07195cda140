package io.delayqueue.benchmarks.peers.rqueue;

import com.github.sonus21.rqueue.annotation.RqueueListener;
import com.github.sonus21.rqueue.config.SimpleRqueueListenerContainerFactory;
import com.github.sonus21.rqueue.core.RqueueEndpointManager;
import com.github.sonus21.rqueue.core.RqueueMessageEnqueuer;
import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * rqueue in a Spring Boot application. A producer without a listener, and an application with an annotated one. The variant
 * {@code tuned} polls, moves what is due, and fetches more often or more at a time than it does unless told. Only the first of
 * several topics is consumed.
 */
public final class RqueuePeer implements Peer {

    private final PeerSettings settings;
    private final ConfigurableApplicationContext application;
    private final RqueueMessageEnqueuer enqueuer;
    private final RqueueEndpointManager endpoints;
    private final Set<String> registered = ConcurrentHashMap.newKeySet();

    /** Starts an application without listeners. */
    public RqueuePeer(PeerSettings settings) {
        this.settings = settings;
        application = run(Application.class, Map.of("rqueue.system.mode", "PRODUCER"));
        enqueuer = application.getBean(RqueueMessageEnqueuer.class);
        endpoints = application.getBean(RqueueEndpointManager.class);
    }

    private ConfigurableApplicationContext run(Class<?> source, Map<String, Object> more) {
        Map<String, Object> properties = new HashMap<>(Map.of(
                "spring.main.banner-mode",
                "off",
                "spring.data.redis.url",
                settings.server(),
                "rqueue.latest.version.check.enabled",
                "false",
                "bench.polling-interval",
                "200",
                "bench.batch-size",
                "-1",
                "logging.level.root",
                "warn"));
        if (settings.variant().equals("tuned")) {
            properties.put("rqueue.scheduler.scheduled.message.time.interval", "50");
            properties.put("rqueue.scheduler.min.message.mover.delay", "10");
            properties.put("rqueue.scheduler.max.message.count", "1000");
            properties.put("rqueue.job.enabled", "false");
            properties.put("bench.polling-interval", "5");
            properties.put("bench.batch-size", "100");
        }
        properties.putAll(more);
        return new SpringApplicationBuilder(source)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .properties(properties)
                .run();
    }

    @Override
    public void schedule(Outgoing message) {
        if (registered.add(message.topic())) {
            endpoints.registerQueue(message.topic());
        }
        enqueuer.enqueueIn(
                message.topic(),
                message.id(),
                new String(message.payload(), StandardCharsets.ISO_8859_1),
                message.delay());
    }

    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        Listener.handler = handler;
        return run(
                Listener.class,
                Map.of(
                        "bench.topic",
                        topics.get(0),
                        "bench.concurrency",
                        concurrency,
                        "bench.lease",
                        settings.lease().toMillis()));
    }

    @Override
    public void close() {
        application.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Listener {

        /** One consumer at a time is in this process. */
        static volatile Handler handler = (payload, dueMicros) -> {};

        @Bean
        SimpleRqueueListenerContainerFactory containerFactory(
                @Value("${bench.polling-interval}") long pollingInterval) {
            SimpleRqueueListenerContainerFactory factory = new SimpleRqueueListenerContainerFactory();
            factory.setPollingInterval(pollingInterval);
            return factory;
        }

        @RqueueListener(
                value = "${bench.topic}",
                concurrency = "${bench.concurrency}",
                batchSize = "${bench.batch-size}",
                visibilityTimeout = "${bench.lease}")
        void handle(String payload) {
            handler.handle(payload.getBytes(StandardCharsets.ISO_8859_1), Handler.NOT_TOLD);
        }
    }
}
