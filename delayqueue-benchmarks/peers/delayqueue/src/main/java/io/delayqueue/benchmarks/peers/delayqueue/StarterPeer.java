package io.delayqueue.benchmarks.peers.delayqueue;

import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.listener.DelayQueueListenerEndpoint;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.listener.ListenerSettings;
import java.lang.reflect.Method;
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
import org.springframework.util.ClassUtils;

/**
 * This library in a Spring Boot application: a template and a listener method, payloads as objects written as JSON. Only the first of
 * several topics is consumed. Variants that end with {@code virtual} use virtual threads.
 */
public final class StarterPeer implements Peer {

    private static final String LISTENER = "bench";

    private final ConfigurableApplicationContext application;
    private final DelayQueueOperations delayQueue;

    /** Starts an application without listeners. */
    public StarterPeer(PeerSettings settings) {
        application = new SpringApplicationBuilder(Application.class)
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
                .run();
        delayQueue = application.getBean(DelayQueueOperations.class);
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

    /** Adds the listener to the running application, as it would be if it were annotated. */
    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        DelayQueueListenerEndpointRegistry listeners = application.getBean(DelayQueueListenerEndpointRegistry.class);
        ListenerSettings settings =
                ListenerSettings.builder().concurrency(concurrency).build();
        listeners.register(
                DelayQueueListenerEndpoint.forMethod(LISTENER, topics.get(0), new Listener(handler), Listener.METHOD)
                        .withSettings(settings),
                application.getBean(DelayQueueListenerContainerFactory.class));
        return () -> listeners.unregister(LISTENER);
    }

    @Override
    public void close() {
        application.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    /**
     * Takes messages of one topic.
     *
     * @param handler handles them
     */
    record Listener(Handler handler) {

        static final Method METHOD = ClassUtils.getMethod(Listener.class, "handle", DelayQueueMessage.class);

        /** Called by the starter. */
        public void handle(DelayQueueMessage<Order> message) {
            Instant due = message.due();
            handler.handle(
                    message.payload().id().getBytes(StandardCharsets.ISO_8859_1),
                    due.getEpochSecond() * 1_000_000 + due.getNano() / 1_000);
        }
    }
}
