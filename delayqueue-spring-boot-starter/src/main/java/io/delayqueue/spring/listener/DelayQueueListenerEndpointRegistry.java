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
 * Registry of the application's listeners. Starts them last and stops them first, so that handlers find every other bean
 * running. Each listener can be started, stopped and paused through its {@link #container}.
 *
 * <p>All listeners stop at the same time. Handlers that don't finish within {@code delayqueue.shutdown-timeout} are interrupted,
 * and their messages are released.
 */
public final class DelayQueueListenerEndpointRegistry implements SmartLifecycle {

    /** Lifecycle phase: starts after, and stops before, web servers, connection factories and most other beans. */
    public static final int PHASE = Integer.MAX_VALUE - 100;

    private static final Logger log = LoggerFactory.getLogger(DelayQueueListenerEndpointRegistry.class);

    private final Duration shutdownTimeout;
    private final Map<String, DelayQueueListenerContainer> containers = new ConcurrentSkipListMap<>();
    private volatile boolean running;

    /**
     * A registry without listeners.
     *
     * @param shutdownTimeout maximum time that handlers may take to finish when stopped
     */
    public DelayQueueListenerEndpointRegistry(Duration shutdownTimeout) {
        this.shutdownTimeout = shutdownTimeout;
    }

    /** All listeners, ordered by id. */
    public Collection<DelayQueueListenerContainer> containers() {
        return List.copyOf(containers.values());
    }

    /** The listener with this id. */
    public Optional<DelayQueueListenerContainer> container(String id) {
        return Optional.ofNullable(containers.get(id));
    }

    /** Adds a listener, and starts it if the registry is running. */
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

    /** Stops without blocking other beans of the same phase. */
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
                        "Handlers of {} did not finish within {}: they were interrupted and their messages released",
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
