package io.delayqueue.benchmarks.worker;

import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A peer in memory that is late, is early or loses messages on demand. */
class MemoryPeer implements Peer {

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger scheduled = new AtomicInteger();
    private final long addedMillis;
    private final int loses;
    private volatile Handler consumer = (payload, dueMicros) -> {};

    /** Delivers this long after the due time (before it if negative) and loses this number of messages. */
    MemoryPeer(long addedMillis, int loses) {
        this.addedMillis = addedMillis;
        this.loses = loses;
    }

    @Override
    public void schedule(Outgoing message) {
        if (scheduled.getAndIncrement() < loses) {
            return;
        }
        timer.schedule(
                () -> consumer.handle(message.payload(), Handler.UNKNOWN_DUE),
                message.delay().toMillis() + addedMillis,
                TimeUnit.MILLISECONDS);
    }

    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        consumer = handler;
        return () -> {};
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
