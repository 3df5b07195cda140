package io.delayqueue.testsupport;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** A thread that ticks, and so notices when this process gets no processor for a while. */
public final class MachineStalls implements AutoCloseable {

    private static final Duration TICK = Duration.ofMillis(10);

    private final AtomicLong longestNanos = new AtomicLong();
    private final Thread ticking = new Thread(this::tick, "machine-stalls");
    private volatile boolean ended;

    private MachineStalls() {}

    /** Observes them from now on. */
    public static MachineStalls observe() {
        MachineStalls stalls = new MachineStalls();
        stalls.ticking.setDaemon(true);
        stalls.ticking.start();
        return stalls;
    }

    private void tick() {
        long lastNanos = System.nanoTime();
        while (!ended) {
            LockSupport.parkNanos(TICK.toNanos());
            long nowNanos = System.nanoTime();
            longestNanos.accumulateAndGet(nowNanos - lastNanos, Math::max);
            lastNanos = nowNanos;
        }
    }

    /** The longest time between two ticks so far. */
    public Duration longest() {
        return Duration.ofNanos(longestNanos.get());
    }

    @Override
    public void close() {
        ended = true;
    }
}
