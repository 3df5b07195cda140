package io.delayqueue.jdbc.metrics;

import io.delayqueue.OutboxAnswer.Outcome;
import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.relay.OutboxListener;
import io.delayqueue.jdbc.relay.SentChange;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Counts what this instance sends to Redis, and times the hand-over. */
public final class OutboxMeters implements OutboxListener {

    private final Map<Outcome, Counter> sent = new EnumMap<>(Outcome.class);
    private final Counter failed;
    private final Counter leftToRelay;
    private final Timer commitToRedis;

    /** Registers all meters, so that they are there before the first change. */
    public OutboxMeters(MeterRegistry registry) {
        for (Outcome outcome : Outcome.values()) {
            if (outcome != Outcome.LATE && outcome != Outcome.FAILED) {
                sent.put(
                        outcome,
                        Counter.builder("delayqueue.journal.outbox.sent")
                                .description("Committed changes that this instance sent to Redis, by outcome")
                                .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                                .register(registry));
            }
        }
        this.failed = Counter.builder("delayqueue.journal.outbox.failed")
                .description("Times that Redis refused a committed change, or its rows could not be read")
                .register(registry);
        this.leftToRelay = Counter.builder("delayqueue.journal.handover.deferred")
                .description("Committed changes that this instance left to a relay instead of sending them at once")
                .register(registry);
        this.commitToRedis = Timer.builder("delayqueue.journal.commit.to.redis")
                .description("Time from a commit to Redis' answer, of changes that were sent at once")
                .register(registry);
    }

    /** Counts after the commit: a transaction that is rolled back is repeated, and tells the same again. */
    @Override
    public void sent(List<SentChange> changes, List<PartitionMark> marks) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                for (SentChange change : changes) {
                    Counter counter = sent.get(change.answer().outcome());
                    if (counter != null) {
                        counter.increment();
                    }
                }
            }
        });
    }

    @Override
    public void postponed(MessageId key, String error) {
        failed.increment();
    }

    @Override
    public void blocked(MessageId key, String error) {
        failed.increment();
    }

    @Override
    public void leftToRelay(int changes) {
        leftToRelay.increment(changes);
    }

    @Override
    public void answered(Duration sinceCommit) {
        commitToRedis.record(sinceCommit);
    }
}
