package io.delayqueue.jdbc.metrics;

import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.OutboxStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gauges of the outbox, which is the same for all instances: a scrape looks at the ends of an index. Their value is NaN while the
 * database does not answer; a scrape never fails, and one at a time waits for the database.
 */
public final class OutboxGauges {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** Time for which a look is good: longer than one scrape takes, shorter than the interval between two. */
    private static final long MAX_AGE_NANOS = Duration.ofSeconds(1).toNanos();

    private final OutboxOperator outbox;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable OutboxStatus status;
    private boolean asked;
    private long askedAtNanos;
    private boolean failing;

    /** Registers the gauges. */
    public OutboxGauges(MeterRegistry registry, OutboxOperator outbox) {
        this.outbox = outbox;
        TimeGauge.builder("delayqueue.journal.outbox.lag", this, TimeUnit.SECONDS, OutboxGauges::lagSeconds)
                .description("Age of the oldest committed change that was not sent to Redis yet, blocked ids left out")
                .strongReference(true)
                .register(registry);
        Gauge.builder("delayqueue.journal.outbox.blocked", this, OutboxGauges::blocked)
                .description("Ids that are not sent to Redis until they are unblocked, counted up to "
                        + OutboxStatus.MOST_BLOCKED)
                .strongReference(true)
                .register(registry);
    }

    private double lagSeconds() {
        OutboxStatus current = current();
        return current == null ? Double.NaN : current.lag().toNanos() / 1e9;
    }

    private double blocked() {
        OutboxStatus current = current();
        return current == null ? Double.NaN : current.blocked();
    }

    private @Nullable OutboxStatus current() {
        if (!lock.tryLock()) {
            return status;
        }
        try {
            if (!asked || System.nanoTime() - askedAtNanos > MAX_AGE_NANOS) {
                refresh();
            }
            return status;
        } finally {
            lock.unlock();
        }
    }

    private void refresh() {
        try {
            status = outbox.status();
            failing = false;
        } catch (RuntimeException e) {
            if (!failing) {
                log.warn("Gauges of the outbox have no value until the database answers again: {}", e.toString());
            }
            status = null;
            failing = true;
        }
        asked = true;
        askedAtNanos = System.nanoTime();
    }
}
