package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.outbox.MessageId;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs which changes Redis refuses: the first at once, and one a minute while there are more, with their number. Blocked ids are told apart
 * from those that will be tried again.
 */
public final class RefusalLog implements OutboxListener {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    private final Throttle postponed;
    private final Throttle blocked;

    /** A log with a line of each kind a minute. */
    public RefusalLog() {
        this(Duration.ofMinutes(1), System::nanoTime);
    }

    RefusalLog(Duration interval, LongSupplier nanoTime) {
        this.postponed = new Throttle(interval, nanoTime);
        this.blocked = new Throttle(interval, nanoTime);
    }

    @Override
    public void postponed(MessageId key, String error) {
        long more = postponed.pass();
        if (more >= 0) {
            log.warn(
                    "A change of message '{}' of topic '{}' was refused and will be sent again: {}{}",
                    key.id(),
                    key.topic(),
                    error,
                    others(more));
        }
    }

    @Override
    public void blocked(MessageId key, String error) {
        long more = blocked.pass();
        if (more >= 0) {
            log.error(
                    "Message '{}' of topic '{}' is blocked: its changes are not sent until it is unblocked, by the actuator endpoint"
                            + " 'delayqueuejournal' or OutboxOperator.unblock. The cause: {}{}",
                    key.id(),
                    key.topic(),
                    error,
                    others(more));
        }
    }

    private static String others(long more) {
        return more == 0 ? "" : " (and " + more + " others since the last such line)";
    }

    /** Lets one call pass in an interval, and counts the others. */
    private static final class Throttle {

        private final long intervalNanos;
        private final LongSupplier nanoTime;
        private final ReentrantLock lock = new ReentrantLock();
        private long lastNanos;
        private long held;

        Throttle(Duration interval, LongSupplier nanoTime) {
            this.intervalNanos = interval.toNanos();
            this.nanoTime = nanoTime;
            this.lastNanos = nanoTime.getAsLong() - intervalNanos;
        }

        /** The number of calls that were held back before this one; negative if this one is held back too. */
        long pass() {
            lock.lock();
            try {
                long now = nanoTime.getAsLong();
                if (now - lastNanos < intervalNanos) {
                    held++;
                    return -1;
                }
                long before = held;
                held = 0;
                lastNanos = now;
                return before;
            } finally {
                lock.unlock();
            }
        }
    }
}
