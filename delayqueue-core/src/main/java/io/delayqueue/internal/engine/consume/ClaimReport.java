package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.SafeObserver;
import io.delayqueue.internal.engine.shared.ThrottledLog;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;

/** Reports what a claim found beside the messages it leased: to the observer, and to the log where somebody should look. */
final class ClaimReport {

    private static final String LEASE_EXPIRED = "lease expired: the consumer crashed, stalled or lost its connection";

    private final String topic;
    private final SafeObserver observer;
    private final ThrottledLog orphans;
    private final ThrottledLog deferred;

    ClaimReport(ConsumerContext context, Partition partition) {
        this.topic = context.topic();
        this.observer = context.client().observer();
        this.orphans = new ThrottledLog("Topic " + partition);
        this.deferred = new ThrottledLog("Topic " + partition);
    }

    /** @param ago time since the claim began */
    void report(ClaimAnswer answer, Duration ago) {
        observer.call(observer -> observer.claimed(topic, answer.claimed().size()));
        answer.expired().forEach(id -> observer.call(observer -> observer.expired(topic, id, ago)));
        answer.leaseExpired().forEach(id -> observer.call(observer -> observer.leaseExpired(topic, id, ago)));
        for (ClaimAnswer.DeadLettered dead : answer.deadLettered()) {
            observer.call(observer -> {
                observer.leaseExpired(topic, dead.id(), ago);
                observer.deadLettered(topic, dead.id(), dead.attempts(), LEASE_EXPIRED, ago);
            });
        }
        if (answer.orphans() > 0) {
            orphans.found(
                    answer.orphans(),
                    "messages have lost their content: another program deleted keys, or Redis evicted them; they are counted as orphaned");
            observer.call(observer -> observer.orphaned(topic, answer.orphans()));
        }
        if (answer.deferred() > 0) {
            deferred.found(
                    answer.deferred(),
                    "due messages were written by a newer version of delayqueue: they are deferred by 5 s, for a consumer of that version");
            observer.call(observer -> observer.deferredToNewerVersion(topic, answer.deferred()));
        }
    }
}
