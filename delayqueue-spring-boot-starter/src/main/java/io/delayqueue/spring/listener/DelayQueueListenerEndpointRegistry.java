package io.delayqueue.spring.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Registry of the application's listeners. Starts them last and stops them first, so that handlers find every other bean
 * running. Each listener can be started, stopped and paused through its {@link #container}. Listeners can also be added and
 * removed by program, with {@link #register} and {@link #unregister}.
 *
 * <p>While at least one listener runs, the process stays alive, even without a web server.
 *
 * <p>All listeners stop at the same time. Handlers that don't finish within {@code delayqueue.shutdown-timeout}, or the {@link
 * io.delayqueue.DelayQueueOptions#shutdownTimeout()} of a client of your own, are interrupted, and their messages are released. That
 * takes at most {@link io.delayqueue.Subscription#AFTER_GRACE} longer.
 */
public final class DelayQueueListenerEndpointRegistry implements SmartLifecycle, DisposableBean {

    /** Lifecycle phase: starts after, and stops before, web servers, connection factories and most other beans. */
    public static final int PHASE = Integer.MAX_VALUE - 100;

    private static final Logger log = LoggerFactory.getLogger(DelayQueueListenerEndpointRegistry.class);

    private final Map<String, DelayQueueListenerContainer> containers = new ConcurrentSkipListMap<>();
    private final List<Consumer<DelayQueueListenerContainer>> receivers = new CopyOnWriteArrayList<>();
    private final KeepAlive keepAlive = new KeepAlive();
    private final Set<String> pauseReasons = new ConcurrentSkipListSet<>();
    private final ReentrantLock pauseLock = new ReentrantLock();
    private volatile boolean running;

    /** A registry without listeners. */
    public DelayQueueListenerEndpointRegistry() {}

    /** All listeners, ordered by id. */
    public Collection<DelayQueueListenerContainer> containers() {
        return List.copyOf(containers.values());
    }

    /** The listener with this id. */
    public Optional<DelayQueueListenerContainer> container(String id) {
        return Optional.ofNullable(containers.get(id));
    }

    /**
     * Passes each listener to a receiver: those registered already at once, later ones before they start. One that is registered during
     * this call may be passed twice.
     */
    public void onRegistration(Consumer<DelayQueueListenerContainer> receiver) {
        receivers.add(receiver);
        containers().forEach(receiver);
    }

    /**
     * Pauses all listeners, later ones included, until {@link #resumeAll} is called with the same reason. Those that are paused for another
     * reason, or by themselves, stay paused then. Messages being handled are finished. Waits for a listener that is just being stopped.
     *
     * @param reason name of the reason, such as {@code journal}; no effect if listeners are paused for it already
     */
    public void pauseAll(String reason) {
        changePause(() -> pauseReasons.add(reason));
    }

    /** Ends {@link #pauseAll} for a reason; no effect if there is no such reason. */
    public void resumeAll(String reason) {
        changePause(() -> pauseReasons.remove(reason));
    }

    /** Reasons for which all listeners are paused; empty if they are not. */
    public Set<String> pauseReasons() {
        return Set.copyOf(pauseReasons);
    }

    private void changePause(BooleanSupplier change) {
        pauseLock.lock();
        try {
            if (change.getAsBoolean()) {
                boolean paused = !pauseReasons.isEmpty();
                containers().forEach(container -> container.setPausedWithAll(paused));
            }
        } finally {
            pauseLock.unlock();
        }
    }

    /**
     * Adds a listener, and starts it if the application's listeners are started.
     *
     * @param endpoint declaration of the listener
     * @param factory creates its container, usually the application's {@link DelayQueueListenerContainerFactory} bean
     * @return its container
     * @throws InvalidListenerException if the id is taken, or the method is no valid listener
     */
    public DelayQueueListenerContainer register(
            DelayQueueListenerEndpoint endpoint, DelayQueueListenerContainerFactory factory) {
        DelayQueueListenerContainer container = factory.createContainer(endpoint);
        DelayQueueListenerContainer other = addAndStart(container);
        if (other != null) {
            throw new InvalidListenerException(
                    endpoint,
                    "id",
                    "'" + endpoint.id() + "' is taken by " + other.endpoint().source(),
                    null);
        }
        return container;
    }

    /** {@link #register}, but if the id is taken, with {@code #2}, {@code #3} and so on added to it. */
    DelayQueueListenerContainer registerWithFreeId(
            DelayQueueListenerEndpoint endpoint, DelayQueueListenerContainerFactory factory) {
        String id = endpoint.id();
        for (int n = 2; ; n++) {
            if (!containers.containsKey(id)) {
                DelayQueueListenerContainer container = factory.createContainer(endpoint.withId(id));
                if (addAndStart(container) == null) {
                    return container;
                }
            }
            id = endpoint.id() + "#" + n;
        }
    }

    /**
     * Stops a listener for good and removes it. Waits for its handlers, at most {@code delayqueue.shutdown-timeout}; so don't
     * call it in a handler of that listener. Its id is free at once.
     *
     * @return false if no listener has this id
     */
    public boolean unregister(String id) {
        DelayQueueListenerContainer container = containers.remove(id);
        if (container == null) {
            return false;
        }
        stop(container, DelayQueueListenerContainer::end);
        return true;
    }

    /** {@link #unregister} for all listeners that call methods of this bean, or of a proxy for it; they stop at the same time. */
    void unregisterListenersOf(Object bean) {
        Object target = targetOf(bean);
        List<Runnable> stops = new ArrayList<>();
        for (DelayQueueListenerContainer container : containers.values()) {
            if (targetOf(container.endpoint().bean()) == target && containers.remove(container.id(), container)) {
                stops.add(() -> stop(container, DelayQueueListenerContainer::end));
            }
        }
        if (stops.size() == 1) {
            stops.get(0).run();
        } else {
            inThreads("delayqueue-end-", stops);
        }
    }

    /** The listener that has the id already, or null if this one has it now. */
    private @Nullable DelayQueueListenerContainer addAndStart(DelayQueueListenerContainer container) {
        container.setKeepAlive(keepAlive);
        DelayQueueListenerContainer other = containers.putIfAbsent(container.id(), container);
        if (other != null) {
            return other;
        }
        receivers.forEach(receiver -> receiver.accept(container));
        pauseWithOthers(container);
        if (!running) {
            return null;
        }
        ListenerConflicts.of(container, containers()).ifPresent(log::warn);
        if (container.isAutoStartup()) {
            try {
                container.start();
            } catch (RuntimeException e) {
                containers.remove(container.id(), container);
                throw e;
            }
        }
        return null;
    }

    private void pauseWithOthers(DelayQueueListenerContainer container) {
        pauseLock.lock();
        try {
            container.setPausedWithAll(!pauseReasons.isEmpty());
        } finally {
            pauseLock.unlock();
        }
    }

    private static Object targetOf(Object bean) {
        Object target = AopProxyUtils.getSingletonTarget(bean);
        return target == null ? bean : targetOf(target);
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
        inThreads(
                "delayqueue-stop-",
                containers().stream()
                        .filter(DelayQueueListenerContainer::isRunning)
                        .map(container -> (Runnable) () -> stop(container, DelayQueueListenerContainer::stop))
                        .toList());
    }

    /** Stops listeners that still run, such as after a failed start of the application. */
    @Override
    public void destroy() {
        stop();
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

    private void stop(DelayQueueListenerContainer container, Stop stop) {
        try {
            if (!stop.within(container, container.shutdownTimeout())) {
                log.warn(
                        "Handlers of {} did not finish within {}: they were interrupted and their messages released",
                        container.endpoint(),
                        container.shutdownTimeout());
            }
        } catch (RuntimeException e) {
            log.warn("Stopping {} failed", container.endpoint(), e);
        }
    }

    private static void inThreads(String namePrefix, List<Runnable> tasks) {
        AtomicInteger number = new AtomicInteger();
        tasks.stream()
                .map(task -> inThread(namePrefix + number.incrementAndGet(), task))
                .toList()
                .forEach(CompletableFuture::join);
    }

    private static CompletableFuture<Void> inThread(String name, Runnable task) {
        return CompletableFuture.runAsync(task, command -> new Thread(command, name).start());
    }

    /** Stops a container; true if all its handlers finished in time. */
    private interface Stop {
        boolean within(DelayQueueListenerContainer container, Duration grace);
    }
}
