package io.delayqueue.jdbc.inbox;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.ExponentialBackoff;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of idempotent listeners whose retries may go on for longer than the journal remembers handled messages. */
public final class RetryCheck implements Consumer<DelayQueueListenerContainer> {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    private final InboxDecorator inbox;
    private final Duration retention;
    private final Set<String> checked = ConcurrentHashMap.newKeySet();

    /**
     * A check of listeners.
     *
     * @param inbox knows which listeners are idempotent
     * @param retention time for which the journal remembers handled messages
     */
    public RetryCheck(InboxDecorator inbox, Duration retention) {
        this.inbox = inbox;
        this.retention = retention;
    }

    @Override
    public void accept(DelayQueueListenerContainer listener) {
        if (!inbox.isIdempotent(listener.id()) || !checked.add(listener.id())) {
            return;
        }
        if (mayOutlastRetention(listener.options())) {
            log.warn(
                    "delayqueue.journal.retention.inbox ({}) is not longer than the delays between the {} attempts of idempotent listener"
                            + " '{}': it may handle a message twice if a retry comes later than that",
                    retention,
                    listener.options().maxAttempts(),
                    listener.id());
        }
    }

    /** Adds up no more delays than needed: there may be a million attempts. */
    private boolean mayOutlastRetention(ConsumerOptions options) {
        Backoff backoff = longest(options.backoff());
        Duration passed = Duration.ZERO;
        for (int attempt = 1; attempt < options.maxAttempts(); attempt++) {
            passed = passed.plus(backoff.delayAfter(attempt));
            if (retention.compareTo(passed) <= 0) {
                return true;
            }
        }
        return false;
    }

    /** The backoff without chance, which makes each delay as long as it may be. */
    private static Backoff longest(Backoff backoff) {
        if (!(backoff instanceof ExponentialBackoff growing)) {
            return backoff;
        }
        Duration max = growing.max();
        long jitterMillis = (long) Math.ceil(growing.initial().toMillis() * growing.jitter());
        Duration initial = growing.initial().plusMillis(jitterMillis);
        return Backoff.exponential(initial.compareTo(max) < 0 ? initial : max, growing.multiplier(), max, 0);
    }
}
