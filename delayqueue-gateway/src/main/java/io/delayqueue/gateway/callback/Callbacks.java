package io.delayqueue.gateway.callback;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Sends the due messages of the configured topics to their URLs, from the start of the application to its stop. Calls that are under way
 * when it stops have {@code delayqueue.shutdown-timeout} to end; then they are cancelled, and their messages are released.
 */
public final class Callbacks implements SmartLifecycle {

    /** Starts after, and stops before, most other beans, as listeners do. */
    private static final int PHASE = Integer.MAX_VALUE - 100;

    private static final int BLOCKING_THREADS = 4;
    private static final Logger log = LoggerFactory.getLogger(Callbacks.class);

    private final DelayQueueClient client;
    private final CallbackConfiguration configuration;
    private final StringRedisTemplate redis;
    private final @Nullable SSLContext ssl;
    private final DnsResolver resolver;
    private final CallbackTargets targets;
    private volatile boolean running;
    private List<Subscription> subscriptions = List.of();
    private AutoCloseable resources = () -> {};

    /**
     * Callbacks that are not yet started.
     *
     * @param client has the messages
     * @param redis keeps pauses of targets, and statuses between attempts
     * @param ssl trusts certificates of targets; null for Java's own trust
     */
    public Callbacks(
            DelayQueueClient client,
            CallbackConfiguration configuration,
            StringRedisTemplate redis,
            @Nullable SSLContext ssl) {
        this(client, configuration, redis, ssl, SystemDefaultDnsResolver.INSTANCE);
    }

    /** @param resolver asks the name servers */
    Callbacks(
            DelayQueueClient client,
            CallbackConfiguration configuration,
            StringRedisTemplate redis,
            @Nullable SSLContext ssl,
            DnsResolver resolver) {
        this.client = client;
        this.configuration = configuration;
        this.redis = redis;
        this.ssl = ssl;
        this.resolver = resolver;
        this.targets = new CallbackTargets(
                configuration.settings()::limits,
                new PausedTargets(redis, client.options().keyPrefix(), System::nanoTime));
    }

    /** The targets, to look at, pause and resume them. */
    public CallbackTargets targets() {
        return targets;
    }

    @Override
    public void start() {
        if (running) {
            return;
        }
        CallbackSettings settings = configuration.settings();
        int calls = configuration.topics().stream()
                .mapToInt(topic -> topic.options().concurrency())
                .sum();
        CallbackClient http =
                new CallbackClient(new CheckedResolver(resolver, settings.refused()), settings.timeouts(), calls, ssl);
        ThreadPoolExecutor blocking = threads();
        CountDownLatch stopped = keepAlive();
        resources = () -> {
            http.close();
            blocking.shutdown();
            stopped.countDown();
        };
        http.start();
        CallbackHandler.Services services = new CallbackHandler.Services(
                targets,
                http,
                new ResponsePolicy(settings.longestRetryAfter()),
                new PreviousStatuses(redis, client.options().keyPrefix()),
                new CallbackResults(client),
                blocking);
        List<Subscription> started = new ArrayList<>();
        for (CallbackTopic topic : configuration.topics()) {
            Subscription subscription =
                    client.subscribe(topic.name(), topic.options(), new CallbackHandler(topic, services));
            subscription.start();
            started.add(subscription);
        }
        subscriptions = started;
        running = true;
    }

    private static ThreadPoolExecutor threads() {
        AtomicInteger number = new AtomicInteger();
        // its queue has no bound of its own: there is a task for each call at most
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                BLOCKING_THREADS, BLOCKING_THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "delayqueue-callback-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** All other threads are daemons: without a web server the process would end. */
    private static CountDownLatch keepAlive() {
        CountDownLatch stopped = new CountDownLatch(1);
        Thread thread = new Thread(
                () -> {
                    while (stopped.getCount() > 0) {
                        try {
                            stopped.await();
                        } catch (InterruptedException e) {
                            // not the end of the application
                        }
                    }
                },
                "delayqueue-callbacks-keep-alive");
        thread.setDaemon(false);
        thread.start();
        return stopped;
    }

    @Override
    public void stop() {
        if (!running) {
            return;
        }
        running = false;
        CompletableFuture.allOf(subscriptions.stream()
                        .map(subscription -> CompletableFuture.runAsync(
                                () -> stop(subscription), task -> new Thread(task, "delayqueue-callback-stop").start()))
                        .toArray(CompletableFuture[]::new))
                .join();
        try {
            resources.close();
        } catch (Exception e) {
            log.warn("Callbacks could not be stopped", e);
        }
    }

    private void stop(Subscription subscription) {
        try {
            if (!subscription.stop(client.options().shutdownTimeout())) {
                log.warn(
                        "Calls of topic '{}' did not end within {}: their messages were released",
                        subscription.topic(),
                        client.options().shutdownTimeout());
            }
        } catch (RuntimeException e) {
            log.warn("Callbacks of topic '{}' could not be stopped", subscription.topic(), e);
        }
    }

    @Override
    public void stop(Runnable callback) {
        new Thread(
                        () -> {
                            try {
                                stop();
                            } finally {
                                callback.run();
                            }
                        },
                        "delayqueue-callbacks-stop")
                .start();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
