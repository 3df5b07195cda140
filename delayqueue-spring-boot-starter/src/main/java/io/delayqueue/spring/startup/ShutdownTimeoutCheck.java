package io.delayqueue.spring.startup;

import io.delayqueue.Subscription;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Warns once if Spring stops waiting for listeners before they are stopped. Calls of committed transactions need no such check:
 * Spring waits for them, however long its timeout is.
 */
public final class ShutdownTimeoutCheck implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(ShutdownTimeoutCheck.class);

    private final ObjectProvider<DelayQueueListenerEndpointRegistry> listeners;
    private final Duration phaseTimeout;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * A check.
     *
     * @param listeners the application's listeners
     * @param phaseTimeout time that Spring waits for the beans of one lifecycle phase
     */
    public ShutdownTimeoutCheck(ObjectProvider<DelayQueueListenerEndpointRegistry> listeners, Duration phaseTimeout) {
        this.listeners = listeners;
        this.phaseTimeout = phaseTimeout;
    }

    @Override
    public void afterSingletonsInstantiated() {
        listeners.ifAvailable(registry -> registry.onRegistration(this::check));
    }

    private void check(DelayQueueListenerContainer listener) {
        Duration longestStop = listener.shutdownTimeout().plus(Subscription.AFTER_GRACE);
        if (longestStop.compareTo(phaseTimeout) > 0 && !warned.getAndSet(true)) {
            log.warn(
                    "delayqueue.shutdown-timeout ({}) and the {} that a stop may take in addition exceed"
                            + " spring.lifecycle.timeout-per-shutdown-phase ({}): Spring may go on to stop other beans while"
                            + " listeners still run, and their messages may be delivered again after a lease",
                    listener.shutdownTimeout(),
                    Subscription.AFTER_GRACE,
                    phaseTimeout);
        }
    }
}
