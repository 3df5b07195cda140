package io.delayqueue.jdbc.inbox;

import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of idempotent listeners that may leave too few connections of the pool. Each message holds one while it is handled, and the journal
 * needs some to send and record.
 */
public final class PoolCheck implements Consumer<DelayQueueListenerContainer> {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** Connections that hand-over, relay, audit, deletions and restores use at once. */
    private static final int OF_THE_JOURNAL = 9;

    private final InboxDecorator inbox;
    private final int poolSize;
    private final Map<String, Integer> concurrency = new ConcurrentHashMap<>();

    /**
     * A check of listeners.
     *
     * @param inbox knows which listeners are idempotent
     * @param poolSize the most connections of the journal's pool
     */
    public PoolCheck(InboxDecorator inbox, int poolSize) {
        this.inbox = inbox;
        this.poolSize = poolSize;
    }

    @Override
    public void accept(DelayQueueListenerContainer listener) {
        if (!inbox.isIdempotent(listener.id())
                || concurrency.put(listener.id(), listener.options().concurrency()) != null) {
            return;
        }
        int atOnce = concurrency.values().stream().mapToInt(Integer::intValue).sum();
        if (atOnce > poolSize - OF_THE_JOURNAL) {
            log.warn(
                    "Idempotent listeners (the latest is '{}') handle up to {} messages at once, each on a connection of its own."
                            + " The DataSource's pool has {} connections. The journal (up to {}) and your requests may have to wait."
                            + " Enlarge the pool, or reduce the concurrency",
                    listener.id(),
                    atOnce,
                    poolSize,
                    OF_THE_JOURNAL);
        }
    }
}
