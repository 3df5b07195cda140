package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.Throttle;
import java.time.Duration;
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
}
