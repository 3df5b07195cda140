package io.delayqueue.internal.engine;

import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Turn;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Claims what is due in a partition for the places that are free, on a thread of its own. Sleeps until the next message is due, it is
 * woken, a place it was starved of is free, or the guard interval is over.
 */
final class ClaimLoop implements Runnable {

    /** How long a starved loop waits for more places after the first, so that a full house does not claim one by one. */
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** How long before a message is due it is claimed, at most: a claim takes less. */
    private static final long LONGEST_LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** One place in so many is not given to what is claimed ahead, and one at least. */
    private static final int KEPT_FREE = 4;

    /** Two clocks may drift apart by one part in so many. */
    private static final int CLOCKS_DIFFER = 1000;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long TIDYING_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ConsumerContext context;
    private final Partition partition;
    private final String consumer;
    private final Sink sink;
    private final Alarm alarm = new Alarm();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final long guardNanos;
    private final long leadNanos;
    private final int keptFree;
    private final Sightings orphans;
    private final Sightings later;
    private final Recovery recovery;
    private long turn = 1;
    private boolean unanswered;
    private volatile boolean aheadFull;
    private long pauseNanos = FIRST_PAUSE_NANOS;
    private long tidyingAt = System.nanoTime();
    private volatile boolean starved;
    private volatile boolean paused;
    private volatile boolean healthy = true;

    ClaimLoop(ConsumerContext context, Partition partition, String consumer, Sink sink) {
        this.context = context;
        this.partition = partition;
        this.consumer = consumer;
        this.sink = sink;
        this.orphans = new Sightings("messages of topic " + partition
                + " have no body any more: somebody deleted or evicted keys; they are counted as orphaned");
        this.later = new Sightings("due messages of topic " + partition
                + " were written by a later version of delayqueue: they are left to it, and looked at again in 5 s");
        this.recovery = new Recovery(context, partition);
        this.guardNanos = context.queue().guardInterval().toNanos();
        int concurrency = context.options().concurrency();
        this.keptFree = Math.max(1, concurrency / KEPT_FREE);
        this.leadNanos = concurrency == keptFree
                ? 0
                : Math.min(LONGEST_LEAD_NANOS, context.queue().claimAhead().toNanos() / 2);
    }

    /** Something may be due that soon. */
    void wakeUp(long waitMicros) {
        alarm.ringIn(untilClaim(waitMicros));
    }

    /** A place became free. */
    void placeFreed(int free) {
        if (starved) {
            alarm.ringIn(free >= enough() ? 0 : GATHER_NANOS);
        }
    }

    void pause(boolean pause) {
        paused = pause;
        alarm.ringIn(0);
    }

    boolean isPaused() {
        return paused;
    }

    boolean isHealthy() {
        return healthy || paused;
    }

    /** Makes {@link #run()} return after the pass under way. */
    void stop() {
        stopping.countDown();
        alarm.ringIn(0);
    }

    boolean isStopping() {
        return stopping.getCount() == 0;
    }

    /** Claims until it is stopped; nothing else ends it. */
    @Override
    public void run() {
        try {
            while (!isStopping()) {
                pass();
            }
        } catch (InterruptedException e) {
            healthy = false;
            Thread.currentThread().interrupt();
        }
    }

    private void pass() throws InterruptedException {
        try {
            long sleepNanos = runOnce();
            healthy = true;
            context.succeeded();
            pauseNanos = FIRST_PAUSE_NANOS;
            if (sleepNanos > 0) {
                alarm.await(Math.min(sleepNanos, guardNanos));
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception | Error e) {
            healthy = false;
            context.failed(Failures.cause(e));
            // not the alarm: many rings must not make it spin
            stopping.await(pauseNanos, TimeUnit.NANOSECONDS);
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        }
    }

    /** Claims once, if there are places. Returns how long to sleep in ns, 0 for not at all. */
    long runOnce() throws Exception {
        return recovery.step(claimOnce());
    }

    private long claimOnce() throws Exception {
        alarm.clear();
        // looked at only now: the ring of a stop may just have been cleared
        if (isStopping()) {
            return 0;
        }
        if (paused) {
            return guardNanos;
        }
        if (!healthy && sink.isShared()) {
            return probe();
        }
        starved = true;
        int limit = sink.reserve(MessageStore.LARGEST_BATCH);
        if (limit == 0) {
            return guardNanos;
        }
        starved = false;
        ClaimAnswer answer;
        try {
            answer = claim(limit);
        } finally {
            sink.unreserve(limit);
        }
        if (answer.waitMicros() != 0) {
            return answer.waitMicros() < 0 ? guardNanos : sleepUntilNext(answer.waitMicros());
        }
        return answer.claimed().size() < limit ? 0 : gather();
    }

    /** A partition that does not answer must not hold places that others could use. */
    private long probe() throws Exception {
        claim(0);
        return 0;
    }

    private long sleepUntilNext(long waitMicros) {
        alarm.ringIn(untilClaim(waitMicros));
        return guardNanos;
    }

    /**
     * A claim made a little before a message is due has it here in time. If there was no place to have it here yet, half of what is
     * kept until it is due will have left its place at half of the time.
     */
    long untilClaim(long waitMicros) {
        long wait = Alarm.nanos(waitMicros);
        if (wait > leadNanos) {
            return wait - leadNanos;
        }
        return aheadFull ? wait / 2 : wait;
    }

    /** Some of the places stay free for what is due at once. */
    private ClaimRequest.Ahead ahead(int limit) {
        int most = Math.max(0, limit - keptFree);
        return most == 0
                ? ClaimRequest.Ahead.NOTHING
                : new ClaimRequest.Ahead(context.queue().claimAhead(), most);
    }

    /** More is due than there were places: wait for a good number of them. */
    private long gather() {
        starved = true;
        int free = sink.freePlaces();
        if (free >= enough()) {
            return 0;
        }
        if (free > 0) {
            alarm.ringIn(GATHER_NANOS);
        }
        return guardNanos;
    }

    private int enough() {
        return context.options().concurrency();
    }

    private ClaimAnswer claim(int limit) throws Exception {
        long sentNanos = System.nanoTime();
        var request = new ClaimRequest(
                new Turn(consumer, turn, unanswered),
                limit,
                context.options().lease(),
                context.options().maxAttempts(),
                retention(sentNanos),
                ahead(limit));
        unanswered = true;
        Answered answered = context.store()
                .claim(partition, request)
                .thenApply(answer -> new Answered(answer, System.nanoTime()))
                .get();
        ClaimAnswer answer = answered.answer();
        unanswered = false;
        aheadFull = isFull(request.ahead(), answer);
        turn++;
        tell(answer);
        sink.answered(answer);
        accept(answer, sentNanos, answered.nanos());
        return answer;
    }

    /** Whether more is due soon than there were places for. */
    private static boolean isFull(ClaimRequest.Ahead asked, ClaimAnswer answer) {
        return asked.limit() > 0
                && answer.claimed().stream()
                                .filter(claimed -> claimed.dueMicros() > answer.timeMicros())
                                .count()
                        >= asked.limit();
    }

    /** Late rather than early: counted from when the answer came, and this clock may be faster than the store's. */
    private static long untilDue(long waitMicros) {
        long wait = Alarm.nanos(waitMicros);
        return wait + Math.max(0, wait / CLOCKS_DIFFER);
    }

    /** One that can't be accepted must not keep those behind it until their leases end. */
    private void accept(ClaimAnswer answer, long sentNanos, long answeredNanos) {
        Throwable failure = null;
        for (Claimed claimed : answer.claimed()) {
            // not the lease asked for: the answer to a repeated claim is of leases that began earlier
            long leaseEndsNanos = sentNanos + Alarm.nanos(claimed.receipt() - answer.timeMicros());
            long dueNanos = answeredNanos + untilDue(claimed.dueMicros() - answer.timeMicros());
            try {
                sink.accept(claimed, dueNanos, leaseEndsNanos);
            } catch (RuntimeException | Error e) {
                failure = e;
            }
        }
        if (failure instanceof Error error) {
            throw error;
        } else if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /** Claims a last time if it does not know the answer to its last claim, so that nothing waits for a lease. */
    void claimUnanswered() throws Exception {
        if (unanswered) {
            claim(0);
        }
    }

    private @Nullable Duration retention(long now) {
        if (now - tidyingAt < 0) {
            return null;
        }
        tidyingAt = now + TIDYING_NANOS;
        return context.queue().topic(context.topic()).deadLetterRetention();
    }

    private void tell(ClaimAnswer answer) {
        String topic = context.topic();
        answer.expired().forEach(id -> context.observers().tell(observer -> observer.expired(topic, id)));
        answer.takenBack().forEach(id -> context.observers().tell(observer -> observer.leaseExpired(topic, id)));
        answer.dead()
                .forEach(dead -> context.observers().tell(observer -> {
                    observer.leaseExpired(topic, dead.id());
                    observer.deadLettered(
                            topic,
                            dead.id(),
                            dead.attempts(),
                            "lease expired: the consumer crashed, stalled or lost its connection");
                }));
        if (answer.orphans() > 0) {
            orphans.seen(answer.orphans());
            context.observers().tell(observer -> observer.orphaned(topic, answer.orphans()));
        }
        if (answer.strays() > 0) {
            recovery.goOn();
        }
        if (answer.left() > 0) {
            later.seen(answer.left());
            context.observers().tell(observer -> observer.leftToLaterVersion(topic, answer.left()));
        }
    }

    /** An answer, and when it came. */
    private record Answered(ClaimAnswer answer, long nanos) {}

    /** Where claimed messages go. */
    interface Sink {

        /** Whether other partitions use the same places. */
        boolean isShared();

        int freePlaces();

        /** Keeps up to so many of the free places from others; how many. */
        int reserve(int most);

        /** Gives reserved places back, those taken meanwhile included. */
        void unreserve(int count);

        /** What the store told, before its messages are accepted. */
        void answered(ClaimAnswer answer);

        /** Takes a message; both times are by {@link System#nanoTime()}. */
        void accept(Claimed claimed, long dueNanos, long leaseEndsNanos);
    }
}
