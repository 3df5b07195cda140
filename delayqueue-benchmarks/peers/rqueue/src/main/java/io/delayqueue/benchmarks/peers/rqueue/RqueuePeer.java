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
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * rqueue in a Spring Boot application: a producer without a listener, and a consumer with an annotated one. The variant
 * {@code tuned} polls more often, moves due messages more often, and fetches more at a time than the defaults. Only the first of
 * several topics is consumed.
 */
public final class RqueuePeer implements Peer {

    private final PeerSettings settings;
    private final Map<String, RqueueMessageEnqueuer> enqueuers = new ConcurrentHashMap<>();
    private @Nullable ConfigurableApplicationContext application;

    /** Starts nothing yet: rqueue's queues are static, so a process can have one application only. */
    public RqueuePeer(PeerSettings settings) {
        this.settings = settings;
    }

    private synchronized RqueueMessageEnqueuer enqueuer(String topic) {
        ConfigurableApplicationContext running = application;
        if (running == null) {
            running = run(Application.class, Map.of("rqueue.system.mode", "PRODUCER"));
            application = running;
        }
        RqueueEndpointManager endpoints = running.getBean(RqueueEndpointManager.class);
        if (!endpoints.isQueueRegistered(topic)) {
            endpoints.registerQueue(topic);
        }
        return running.getBean(RqueueMessageEnqueuer.class);
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
        RqueueMessageEnqueuer enqueuer = enqueuers.computeIfAbsent(message.topic(), this::enqueuer);
        enqueuer.enqueueIn(
                message.topic(),
                message.id(),
                new Payload(new String(message.payload(), StandardCharsets.ISO_8859_1)),
                message.delay());
    }

    @Override
    public synchronized AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        close();
        Listener.handler = handler;
        application = run(
                Listener.class,
                Map.of(
                        "bench.topic",
                        topics.get(0),
                        "bench.concurrency",
                        concurrency,
                        "bench.lease",
                        settings.lease().toMillis()));
        return this::close;
    }

    @Override
    public synchronized void close() {
        enqueuers.clear();
        if (application != null) {
            application.close();
            application = null;
        }
    }

    /** An object, since rqueue passes strings to listeners with its own JSON around them. */
    public record Payload(String text) {}

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
        void handle(Payload payload) {
            handler.handle(payload.text().getBytes(StandardCharsets.ISO_8859_1), Handler.UNKNOWN_DUE);
        }
    }
}
