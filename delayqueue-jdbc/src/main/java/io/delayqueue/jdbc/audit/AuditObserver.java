package io.delayqueue.jdbc.audit;

import io.delayqueue.Delay;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.audit.InFlightAttempts.Attempt;
import io.delayqueue.jdbc.audit.InFlightAttempts.LongAttempt;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Puts what becomes of messages in this process into the {@link AuditBuffer}. Never blocks. An attempt is one event, at its end; one
 * that takes longer than a second is recorded as in flight, too.
 */
public final class AuditObserver implements DelayQueueObserver {

    /** Attempts that take longer have an event of their own when they are under way. */
    private static final long LONG_ATTEMPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Below the sequence, so that events of several instances in the same µs differ. */
    private static final int RANDOM_BITS = 20;

    private static final String TOPIC_DELETED = "the topic was deleted";
    private static final String LEASE_EXPIRED = "lease expired: the consumer crashed, stalled or lost its connection";
    private static final String LEASE_LOST = "lease lost: Redis refused the outcome of this attempt";
    private static final String POSTPONED = "postponed: the handler asked for it";
    private static final String RELEASED = "released: the subscription stopped";
    private static final String RELEASED_BY_RECEIPT = "released: its receiver asked for it";

    private final AuditBuffer buffer;
    private final InFlightAttempts inFlight = new InFlightAttempts();
    private final AtomicLong sequence = new AtomicLong();
    private final long instance = ThreadLocalRandom.current().nextLong(1L << RANDOM_BITS);

    /** An observer that puts events into the buffer. */
    public AuditObserver(AuditBuffer buffer) {
        this.buffer = buffer;
    }

    @Override
    public void delivered(ReceivedMessage message, Duration lag) {
        inFlight.began(message, System.nanoTime());
    }

    @Override
    public void pulled(ReceivedMessage message, Duration lag) {
        inFlight.pulled(message, System.nanoTime());
    }

    @Override
    public void handled(ReceivedMessage message, Duration duration, @Nullable Throwable error) {
        inFlight.handlerEnded(message, System.nanoTime());
    }

    @Override
    public void acked(ReceivedMessage message) {
        attemptEnded(message, MessageStatus.ACKED, null, null);
    }

    @Override
    public void retried(ReceivedMessage message, Duration delay, @Nullable Throwable error) {
        attemptEnded(message, MessageStatus.SCHEDULED, error == null ? null : error.toString(), Delay.of(delay));
    }

    @Override
    public void retriedByReceipt(ReceivedMessage message, Duration delay, String reason) {
        attemptEnded(message, MessageStatus.SCHEDULED, reason, Delay.of(delay));
    }

    @Override
    public void leaseLost(ReceivedMessage message) {
        attemptEnded(message, MessageStatus.IN_FLIGHT, LEASE_LOST, null);
    }

    /** The attempt does not count, so it is no event unless it was recorded as in flight. */
    @Override
    public void released(ReceivedMessage message) {
        Attempt attempt = inFlight.settled(message);
        if (attempt != null && attempt.reported()) {
            uncounted(message, attempt, RELEASED, null);
        }
    }

    /** Another instance may have recorded it as in flight. */
    @Override
    public void releasedByReceipt(ReceivedMessage message) {
        uncounted(message, inFlight.settled(message), RELEASED_BY_RECEIPT, null);
    }

    @Override
    public void postponed(ReceivedMessage message, Duration delay) {
        uncounted(message, inFlight.settled(message), POSTPONED, Delay.of(delay));
    }

    private void uncounted(ReceivedMessage message, @Nullable Attempt attempt, String why, @Nullable Delay due) {
        add(
                message.topic(),
                message.id(),
                message.generation(),
                MessageStatus.IN_FLIGHT,
                MessageStatus.SCHEDULED,
                attempt == null ? null : attempt.beganNanos(),
                message.attempt() - 1,
                why,
                due);
    }

    private void attemptEnded(ReceivedMessage message, MessageStatus to, @Nullable String error, @Nullable Delay due) {
        Attempt attempt = inFlight.settled(message);
        add(
                message.topic(),
                message.id(),
                message.generation(),
                MessageStatus.IN_FLIGHT,
                to,
                attempt == null ? null : attempt.beganNanos(),
                message.attempt(),
                error,
                due);
    }

    @Override
    public void deadLettered(String topic, String id, @Nullable String generation, int attempts, String error) {
        Attempt attempt = generation == null ? null : inFlight.settled(topic, id, generation, attempts);
        MessageStatus from = generation == null ? null : MessageStatus.IN_FLIGHT;
        Long began = attempt == null ? null : attempt.beganNanos();
        add(topic, id, generation, from, MessageStatus.DEAD, began, attempts, error, null);
    }

    @Override
    public void deadLettered(String topic, String id, int attempts, String error, Duration ago) {
        ofId(topic, id, ago, null, MessageStatus.DEAD, attempts, error, null);
    }

    @Override
    public void leaseExpired(String topic, String id, Duration ago) {
        ofId(topic, id, ago, MessageStatus.IN_FLIGHT, MessageStatus.SCHEDULED, null, LEASE_EXPIRED, Delay.NONE);
    }

    @Override
    public void expired(String topic, String id, Duration ago) {
        ofId(topic, id, ago, MessageStatus.SCHEDULED, MessageStatus.EXPIRED, null, null, null);
    }

    @Override
    public void cancelled(String topic, String id, Duration ago) {
        ofId(topic, id, ago, null, MessageStatus.CANCELLED, null, null, null);
    }

    @Override
    public void rescheduled(String topic, String id, Delay delay, Duration ago) {
        ofId(topic, id, ago, null, MessageStatus.SCHEDULED, null, null, delay);
    }

    @Override
    public void redriven(String topic, List<String> ids, Delay first, Duration between, Duration ago) {
        for (int i = 0; i < ids.size(); i++) {
            Duration later = between.multipliedBy(i);
            Delay due = first instanceof Delay.At at
                    ? Delay.until(at.due().plus(later))
                    : Delay.of(((Delay.After) first).duration().plus(later));
            ofId(topic, ids.get(i), ago, MessageStatus.DEAD, MessageStatus.SCHEDULED, 0, null, due);
        }
    }

    @Override
    public void purged(String topic, List<String> ids, Duration ago) {
        ids.forEach(id -> ofId(topic, id, ago, null, MessageStatus.PURGED, null, null, null));
    }

    @Override
    public void topicDeleted(String topic, Duration ago) {
        ofId(topic, "", ago, null, MessageStatus.PURGED, null, TOPIC_DELETED, null);
    }

    /** Records attempts that have been under way for more than a second. Called now and then. */
    void recordLongAttempts() {
        for (LongAttempt attempt : inFlight.longerThan(LONG_ATTEMPT_NANOS)) {
            buffer.add(new AuditEvent(
                    attempt.topic(),
                    attempt.id(),
                    attempt.generation(),
                    MessageStatus.SCHEDULED,
                    MessageStatus.IN_FLIGHT,
                    attempt.beganNanos(),
                    attempt.beganNanos(),
                    nextSequence(),
                    attempt.beganNanos(),
                    attempt.attempt(),
                    null,
                    null));
        }
    }

    /** Attempts whose handlers run, or whose outcome Redis has not confirmed. */
    int inFlight() {
        return inFlight.size();
    }

    private void ofId(
            String topic,
            String id,
            Duration ago,
            @Nullable MessageStatus from,
            MessageStatus to,
            @Nullable Integer attempt,
            @Nullable String error,
            @Nullable Delay due) {
        long nanos = System.nanoTime();
        buffer.add(new AuditEvent(
                topic, id, null, from, to, nanos, nanos - ago.toNanos(), nextSequence(), null, attempt, error, due));
    }

    private void add(
            String topic,
            String id,
            @Nullable String generation,
            @Nullable MessageStatus from,
            MessageStatus to,
            @Nullable Long beganNanos,
            @Nullable Integer attempt,
            @Nullable String error,
            @Nullable Delay due) {
        long nanos = System.nanoTime();
        buffer.add(new AuditEvent(
                topic, id, generation, from, to, nanos, nanos, nextSequence(), beganNanos, attempt, error, due));
    }

    private long nextSequence() {
        return sequence.incrementAndGet() << RANDOM_BITS | instance;
    }
}
