package io.delayqueue.spring.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The application's listeners: starts them last of all and stops them first, so that handlers find everything they need.
 * Each can be started, stopped and paused on its own through {@link #container}.
 *
 * <p>All are stopped at the same time, and those whose handlers don't finish within {@code delayqueue.shutdown-timeout} are
 * interrupted and give their messages back.
 */
public final class DelayQueueListenerEndpointRegistry implements SmartLifecycle {

    /** After, and on the way down before, web servers, connection factories and most else. */
    public static final int PHASE = Integer.MAX_VALUE - 100;

    private static final Logger log = LoggerFactory.getLogger(DelayQueueListenerEndpointRegistry.class);

    private final Duration shutdownTimeout;
    private final Map<String, DelayQueueListenerContainer> containers = new ConcurrentSkipListMap<>();
    private volatile boolean running;

    /**
     * A registry without listeners.
     *
     * @param shutdownTimeout how long handlers may take to finish when stopped
     */
    public DelayQueueListenerEndpointRegistry(Duration shutdownTimeout) {
        this.shutdownTimeout = shutdownTimeout;
    }

    /** All listeners, by id. */
    public Collection<DelayQueueListenerContainer> containers() {
        return List.copyOf(containers.values());
    }

    /** One listener. */
    public Optional<DelayQueueListenerContainer> container(String id) {
        return Optional.ofNullable(containers.get(id));
    }

    /** Adds a listener, and starts it if those that are here are running. */
    void register(DelayQueueListenerEndpoint endpoint, DelayQueueListenerContainerFactory factory) {
        DelayQueueListenerContainer container = factory.createContainer(endpoint);
        DelayQueueListenerContainer other = containers.putIfAbsent(endpoint.id(), container);
        if (other != null) {
            throw new InvalidListenerException(
                    endpoint.method(),
                    "id",
                    "'" + endpoint.id() + "' is taken by "
                            + InvalidListenerException.describe(other.endpoint().method()),
                    null);
        }
        if (running) {
            ListenerConflicts.in(containers()).forEach(log::warn);
            if (container.isAutoStartup()) {
                container.start();
            }
        }
    }

    @Override
    public void start() {
        running = true;
        ListenerConflicts.in(containers()).forEach(log::warn);
        containers.values().stream()
                .filter(DelayQueueListenerContainer::isAutoStartup)
                .forEach(DelayQueueListenerContainer::start);
    }

    @Override
    public void stop() {
        running = false;
        List<CompletableFuture<Void>> stops = new ArrayList<>();
        for (DelayQueueListenerContainer container : containers()) {
            if (container.isRunning()) {
                stops.add(inThread("delayqueue-stop-" + container.id(), () -> stop(container)));
            }
        }
        stops.forEach(CompletableFuture::join);
    }

    /** Stops without holding up other beans of the same phase. */
    @Override
    public void stop(Runnable callback) {
        inThread("delayqueue-stop", this::stop).whenComplete((done, failure) -> callback.run());
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    private void stop(DelayQueueListenerContainer container) {
        try {
            if (!container.stop(shutdownTimeout)) {
                log.warn(
                        "Handlers of {} did not finish within {}: interrupted, their messages given back",
                        container.endpoint(),
                        shutdownTimeout);
            }
        } catch (RuntimeException e) {
            log.warn("Stopping {} failed", container.endpoint(), e);
        }
    }

    private static CompletableFuture<Void> inThread(String name, Runnable task) {
        return CompletableFuture.runAsync(task, command -> new Thread(command, name).start());
    }
}
