package io.delayqueue.benchmarks.peers.delayqueue;

import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * This library in a Spring Boot application: a template and an annotated listener, payloads as objects written as JSON. Only the first of
 * several topics is consumed. Variants that end with {@code virtual} use virtual threads.
 */
public final class StarterPeer implements Peer {

    private final PeerSettings settings;
    private final ConfigurableApplicationContext application;
    private final DelayQueueOperations delayQueue;

    /** Starts an application without listeners. */
    public StarterPeer(PeerSettings settings) {
        this.settings = settings;
        application = run(Application.class, Map.of());
        delayQueue = application.getBean(DelayQueueOperations.class);
    }

    private ConfigurableApplicationContext run(Class<?> source, Map<String, Object> more) {
        return new SpringApplicationBuilder(source)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .properties(Map.of(
                        "spring.main.banner-mode",
                        "off",
                        "spring.data.redis.url",
                        settings.server(),
                        "delayqueue.command-timeout",
                        "20s",
                        "delayqueue.listener.lease",
                        settings.lease().toMillis() + "ms",
                        "spring.threads.virtual.enabled",
                        settings.variant().endsWith("virtual"),
                        "logging.level.root",
                        "warn"))
                .properties(more)
                .run();
    }

    @Override
    public void schedule(Outgoing message) {
        ScheduleResult result = delayQueue
                .message(message.topic(), Order.of(message.payload()))
                .id(message.id())
                .delay(message.delay())
                .schedule();
        if (result.outcome() != ScheduleOutcome.SCHEDULED) {
            throw new IllegalStateException("not scheduled: " + result);
        }
    }

    @Override
    public CompletionStage<?> scheduleAsync(Outgoing message) {
        return delayQueue
                .message(message.topic(), Order.of(message.payload()))
                .id(message.id())
                .delay(message.delay())
                .scheduleAsync();
    }

    @Override
    public void scheduleAll(List<Outgoing> messages) {
        Outgoing first = messages.get(0);
        delayQueue.scheduleAll(
                first.topic(),
                messages.stream().map(message -> Order.of(message.payload())).toList(),
                first.delay());
    }

    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        Listener.handler = handler;
        return run(Listener.class, Map.of("bench.topic", topics.get(0), "bench.concurrency", concurrency));
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

        @DelayQueueListener(topic = "${bench.topic}", concurrency = "${bench.concurrency}")
        void handle(DelayQueueMessage<Order> message) {
            Instant due = message.due();
            handler.handle(
                    message.payload().id().getBytes(StandardCharsets.ISO_8859_1),
                    due.getEpochSecond() * 1_000_000 + due.getNano() / 1_000);
        }
    }
}
