package io.delayqueue.benchmarks.peers.journal;

import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import io.delayqueue.jdbc.audit.AuditBuffer;
import io.delayqueue.jdbc.audit.AuditWriter;
import io.delayqueue.jdbc.outbox.HandOver;
import io.delayqueue.jdbc.relay.OutboxListener;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * This library in a Spring Boot application with a journal: each call in a transaction, which has been committed when it returns. The
 * server's address is that of Redis and that of the database, with a comma between them. Only the first of several topics is consumed.
 *
 * <p>Variants: {@code journal}; {@code outbox}, without audit; {@code backlog}, which sends nothing and leaves all rows to relays of
 * others.
 */
public final class JournalPeer implements Peer {

    private static final int CONNECTIONS = 32;

    private final PeerSettings settings;
    private final ConfigurableApplicationContext application;
    private final DelayQueueOperations delayQueue;
    private final TransactionTemplate transaction;

    /** µs from a commit to Redis' answer. */
    private final Histogram sent = new ConcurrentHistogram(TimeUnit.MINUTES.toMicros(10), 3);

    /** Changes that were not sent at once. */
    private final LongAdder left = new LongAdder();

    /** Null unless it consumes. */
    private volatile @Nullable ConfigurableApplicationContext consumer;

    /** Starts an application without listeners. */
    public JournalPeer(PeerSettings settings) {
        this.settings = settings;
        application = run(settings.variant().equals("backlog") ? Backlog.class : Application.class, Map.of());
        delayQueue = application.getBean(DelayQueueOperations.class);
        transaction = application.getBean(TransactionTemplate.class);
    }

    private ConfigurableApplicationContext run(Class<?> source, Map<String, Object> more) {
        String[] servers = settings.server().split(",", 2);
        Map<String, Object> properties = new HashMap<>(Map.of(
                "spring.main.banner-mode",
                "off",
                "logging.level.root",
                "warn",
                "spring.data.redis.url",
                servers[0],
                "spring.datasource.url",
                servers[1],
                "spring.datasource.hikari.maximum-pool-size",
                CONNECTIONS,
                "delayqueue.command-timeout",
                "20s",
                "delayqueue.listener.lease",
                settings.lease().toMillis() + "ms",
                "delayqueue.journal.initialize-schema",
                "always",
                "delayqueue.journal.audit.enabled",
                !settings.variant().equals("outbox")));
        if (settings.variant().equals("backlog")) {
            // rows that nobody sends are the relays' as soon as may be
            properties.put("delayqueue.journal.outbox.send-timeout", "1s");
        }
        properties.putAll(more);
        return new SpringApplicationBuilder(source)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .properties(properties)
                .initializers(context ->
                        ((GenericApplicationContext) context).registerBean(OutboxListener.class, Answers::new))
                .run();
    }

    @Override
    public void schedule(Outgoing message) {
        // the listener is told of the answer
        CompletableFuture<?> unused = transaction.execute(status -> delayQueue
                .message(message.topic(), text(message))
                .id(message.id())
                .delay(message.delay())
                .scheduleAsync());
    }

    /** A caller's future does not tell whether Redis has answered: it completes, too, when the change is left to a relay. */
    private final class Answers implements OutboxListener {

        @Override
        public void answered(Duration sinceCommit) {
            sent.recordValue(TimeUnit.NANOSECONDS.toMicros(sinceCommit.toNanos()));
        }

        @Override
        public void leftToRelay(int changes) {
            left.add(changes);
        }
    }

    @Override
    public void scheduleAll(List<Outgoing> messages) {
        Outgoing first = messages.get(0);
        List<String> payloads = messages.stream().map(JournalPeer::text).toList();
        transaction.executeWithoutResult(status -> delayQueue.scheduleAll(first.topic(), payloads, first.delay()));
    }

    private static String text(Outgoing message) {
        return new String(message.payload(), StandardCharsets.ISO_8859_1);
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of(
                "sent", sent.getTotalCount(),
                "left", left.sum(),
                "commitP50", sent.getValueAtPercentile(50),
                "commitP99", sent.getValueAtPercentile(99),
                "unrecorded", unrecorded());
    }

    /** Events in the memory of the consumer's audit. */
    private long unrecorded() {
        ConfigurableApplicationContext consuming = consumer;
        if (consuming == null || settings.variant().equals("outbox")) {
            return 0;
        }
        return consuming.getBean(AuditBuffer.class).size()
                + consuming.getBean(AuditWriter.class).unwritten();
    }

    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        Listener.handler = handler;
        ConfigurableApplicationContext consuming =
                run(Listener.class, Map.of("bench.topic", topics.get(0), "bench.concurrency", concurrency));
        consumer = consuming;
        return () -> {
            consumer = null;
            consuming.close();
        };
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
    static class Backlog {

        @Bean
        HandOver leaveToRelays() {
            return changes -> changes.forEach(change -> change.answer().complete(Optional.empty()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Listener {

        /** One consumer at a time is in this process. */
        static volatile Handler handler = (payload, dueMicros) -> {};

        @DelayQueueListener(topic = "${bench.topic}", concurrency = "${bench.concurrency}")
        void handle(DelayQueueMessage<String> message) {
            Instant due = message.due();
            handler.handle(
                    message.payload().getBytes(StandardCharsets.ISO_8859_1),
                    due.getEpochSecond() * 1_000_000 + due.getNano() / 1_000);
        }
    }
}
