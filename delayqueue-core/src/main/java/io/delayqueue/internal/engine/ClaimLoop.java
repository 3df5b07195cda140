package io.delayqueue.internal.engine;

import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
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
    private final Sightings orphans;
    private final Sightings later;
    private final OrphanScan recovery;
    private final ServerClock storeTime = new ServerClock();
    private long turn = 1;
    private boolean unanswered;
    /** Whether more is due soon than there was room for. */
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
        this.recovery = new OrphanScan(context, partition);
        this.guardNanos = context.queue().guardInterval().toNanos();
        this.leadNanos = context.options().concurrency() == 1
                ? 0
                : Math.min(LONGEST_LEAD_NANOS, context.queue().claimAhead().toNanos() / 2);
    }

    /** Something may be due that soon. */
    void wakeUp(long waitMicros) {
        alarm.ringIn(untilClaim(waitMicros));
    }

    /** A place became free. */
    void placeFreed(Places.Vacancy vacancy) {
        if (starved) {
            alarm.ringIn(vacancy.isLarge() ? 0 : GATHER_NANOS);
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
        Places.Room room = sink.reserve(MessageStore.LARGEST_BATCH);
        if (room.inPlaces() == 0) {
            return guardNanos;
        }
        starved = false;
        ClaimAnswer answer;
        try {
            answer = claim(room);
        } finally {
            sink.unreserve(room);
        }
        if (answer.waitMicros() != 0) {
            return answer.waitMicros() < 0 ? guardNanos : sleepUntilNext(answer.waitMicros());
        }
        return answer.claimed().size() < room.inPlaces() ? 0 : gather();
    }

    /** A partition that does not answer must not hold places that others could use. */
    private long probe() throws Exception {
        claim(Places.Room.NONE);
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

    private ClaimRequest.Early ahead(Places.Room room) {
        Duration time = context.queue().claimAhead();
        return room.ahead() == 0 || time.isZero()
                ? ClaimRequest.Early.NOTHING
                : new ClaimRequest.Early(time, room.ahead());
    }

    /** More is due than there was room for: wait for a good deal of it. */
    private long gather() {
        starved = true;
        Places.Vacancy vacancy = sink.vacancy();
        if (vacancy.isLarge()) {
            return 0;
        }
        if (vacancy.room() > 0) {
            alarm.ringIn(GATHER_NANOS);
        }
        return guardNanos;
    }

    private ClaimAnswer claim(Places.Room room) throws Exception {
        long sentNanos = System.nanoTime();
        var request = new ClaimRequest(
                new CallId(consumer, turn, unanswered),
                room.inPlaces(),
                room.beyond(),
                context.options().lease(),
                context.options().maxAttempts(),
                retention(sentNanos),
                ahead(room));
        unanswered = true;
        Answered answered = context.store()
                .claim(partition, request)
                .thenApply(answer -> new Answered(answer, System.nanoTime()))
                .get();
        ClaimAnswer answer = answered.answer();
        unanswered = false;
        long ahead = answer.claimedEarly();
        aheadFull = request.early().limit() > 0 && ahead >= request.early().limit();
        turn++;
        tell(answer);
        sink.answered(answer);
        accept(answer, sentNanos, answered.nanos());
        if (ahead > 1) {
            askTime();
        }
        return answer;
    }

    /** For the next claim, which comes soon: its answer takes longer, and tells what time it was when it began. */
    private void askTime() {
        long sentNanos = System.nanoTime();
        context.store().time(partition).thenAccept(micros -> storeTime.told(micros, sentNanos, System.nanoTime()));
    }

    /** One that can't be accepted must not keep those behind it until their leases end. */
    private void accept(ClaimAnswer answer, long sentNanos, long answeredNanos) {
        storeTime.told(answer.timeMicros(), sentNanos, answeredNanos);
        Throwable failure = null;
        for (Claimed claimed : answer.claimed()) {
            // not the lease asked for: the answer to a repeated claim is of leases that began earlier
            long leaseEndsNanos = sentNanos + Alarm.nanos(claimed.receipt() - answer.timeMicros());
            long dueNanos = storeTime.nanosOf(claimed.dueMicros());
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
            claim(Places.Room.NONE);
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
        answer.leaseExpired().forEach(id -> context.observers().tell(observer -> observer.leaseExpired(topic, id)));
        answer.deadLettered()
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
        if (answer.unscheduled() > 0) {
            recovery.goOn();
        }
        if (answer.deferred() > 0) {
            later.seen(answer.deferred());
            context.observers().tell(observer -> observer.deferredToNewerVersion(topic, answer.deferred()));
        }
    }

    /** An answer, and when it came. */
    private record Answered(ClaimAnswer answer, long nanos) {}

    /** Where claimed messages go. */
    interface Sink {

        /** Whether other partitions use the same places. */
        boolean isShared();

        /** What could come now. */
        Places.Vacancy vacancy();

        /** Keeps what room there is from others, for up to so many messages. */
        Places.Room reserve(int most);

        /** Gives reserved room back, that which is taken meanwhile included. */
        void unreserve(Places.Room room);

        /** What the store told, before its messages are accepted. */
        void answered(ClaimAnswer answer);

        /** Takes a message; both times are by {@link System#nanoTime()}. */
        void accept(Claimed claimed, long dueNanos, long leaseEndsNanos);
    }
}
