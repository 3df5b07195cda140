package io.delayqueue.spring.startup;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Warns if Spring stops waiting for listeners before their time to finish is over. */
public final class ShutdownTimeoutCheck implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(ShutdownTimeoutCheck.class);

    private final Duration shutdownTimeout;
    private final Duration phaseTimeout;

    /**
     * A check.
     *
     * @param shutdownTimeout time that listeners have to finish
     * @param phaseTimeout time that Spring waits for the beans of one lifecycle phase
     */
    public ShutdownTimeoutCheck(Duration shutdownTimeout, Duration phaseTimeout) {
        this.shutdownTimeout = shutdownTimeout;
        this.phaseTimeout = phaseTimeout;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (shutdownTimeout.compareTo(phaseTimeout) >= 0) {
            log.warn(
                    "delayqueue.shutdown-timeout ({}) is not below spring.lifecycle.timeout-per-shutdown-phase ({}): Spring goes"
                            + " on to stop other beans while listeners still run, and their messages may come again after a lease",
                    shutdownTimeout,
                    phaseTimeout);
        }
    }
}
