package io.delayqueue.testsupport.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A check on a thread of its own, again and again. It goes on whatever it throws, and keeps the first failure. */
final class RepeatedCheck implements AutoCloseable {

    private final String name;
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final ScheduledExecutorService timer;

    /** @param check returns whether it could check; it could not while Redis is away */
    RepeatedCheck(String name, long betweenChecksMs, BooleanSupplier check) {
        this.name = name;
        this.timer = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
        timer.scheduleWithFixedDelay(() -> run(check), 0, betweenChecksMs, TimeUnit.MILLISECONDS);
    }

    private void run(BooleanSupplier check) {
        try {
            if (check.getAsBoolean()) {
                done.incrementAndGet();
            }
        } catch (Throwable unexpected) {
            failure.compareAndSet(null, unexpected);
        }
    }

    /** Fails if a check did, or if none can be made any more. */
    void requireAlive() {
        int before = done.get();
        // the next to end may have begun before the call
        Fleet.await().alias(name + " goes on").until(() -> failure.get() != null || done.get() > before + 1);
        assertThat(failure.get()).as("failure of " + name).isNull();
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
