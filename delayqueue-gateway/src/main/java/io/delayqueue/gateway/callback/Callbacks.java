package io.delayqueue.gateway.callback;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.Subscription;
import io.delayqueue.gateway.redis.UnansweredCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
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

    private static final Logger log = LoggerFactory.getLogger(Callbacks.class);

    private final DelayQueueClient client;
    private final CallbackConfiguration configuration;
    private final StringRedisTemplate redis;
    private final @Nullable SSLContext ssl;
    private final CallbackObserver observer;
    private final DnsResolver resolver;
    private final CallbackThreads threads = new CallbackThreads();
    private final RedisCalls calls;
    private final CallbackTargets targets;
    private volatile boolean running;
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private AutoCloseable resources = () -> {};

    /**
     * Callbacks that are not yet started.
     *
     * @param client has the messages
     * @param redis keeps pauses of targets, and statuses between attempts
     * @param ssl trusts certificates of targets; null for Java's own trust
     * @param observers are told of each call
     */
    public Callbacks(
            DelayQueueClient client,
            CallbackConfiguration configuration,
            StringRedisTemplate redis,
            @Nullable SSLContext ssl,
            List<CallbackObserver> observers) {
        this(client, configuration, redis, ssl, observers, SystemDefaultDnsResolver.INSTANCE);
    }

    /** @param resolver asks the name servers */
    Callbacks(
            DelayQueueClient client,
            CallbackConfiguration configuration,
            StringRedisTemplate redis,
            @Nullable SSLContext ssl,
            List<CallbackObserver> observers,
            DnsResolver resolver) {
        this.client = client;
        this.configuration = configuration;
        this.redis = redis;
        this.ssl = ssl;
        this.observer = new CallbackObservers(observers);
        this.resolver = resolver;
        Duration timeout = client.options().commandTimeout();
        this.calls = new RedisCalls(timeout, new UnansweredCommands(redis.getConnectionFactory(), timeout));
        this.targets = new CallbackTargets(
                configuration.settings()::limits,
                new PausedTargets(redis, calls, client.options().keyPrefix(), threads, System::nanoTime));
    }

    /** The targets, to look at, pause and resume them. */
    public CallbackTargets targets() {
        return targets;
    }

    /** Topics whose consumer is {@linkplain Subscription#isHealthy() not healthy}. None while not running. */
    public List<String> unhealthyTopics() {
        return subscriptions.stream()
                .filter(subscription -> !subscription.isHealthy())
                .map(Subscription::topic)
                .toList();
    }

    @Override
    public void start() {
        if (running) {
            return;
        }
        CallbackSettings settings = configuration.settings();
        int concurrency = configuration.topics().stream()
                .mapToInt(topic -> topic.options().concurrency())
                .sum();
        CallbackClient http = new CallbackClient(
                new CheckedResolver(resolver, settings.refused()), settings.timeouts(), concurrency, ssl);
        AutoCloseable keepAlive = CallbackThreads.keepAlive();
        ResultRetries results = new ResultRetries(client, observer, threads);
        resources = () -> {
            http.close();
            results.close(client.options().shutdownTimeout());
            keepAlive.close();
        };
        running = true;
        try {
            http.start();
            CallbackHandler.Services services = new CallbackHandler.Services(
                    targets,
                    http,
                    new ResponsePolicy(settings.maxRetryAfter()),
                    new PreviousStatuses(redis, calls, client.options().keyPrefix()),
                    new CallbackResults(results),
                    observer,
                    threads);
            for (CallbackTopic topic : configuration.topics()) {
                Subscription subscription =
                        client.subscribe(topic.name(), topic.options(), new CallbackHandler(topic, services));
                subscriptions.add(subscription);
                subscription.start();
            }
        } catch (RuntimeException | Error e) {
            // a topic that can't be consumed must not leave the others, or the process, running
            stop();
            throw e;
        }
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
        subscriptions.clear();
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
