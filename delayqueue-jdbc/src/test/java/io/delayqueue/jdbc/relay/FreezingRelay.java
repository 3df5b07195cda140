package io.delayqueue.jdbc.relay;

import io.delayqueue.Outbox;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A relay that freezes after it took rows, before its call. */
final class FreezingRelay implements AutoCloseable {

    private final WatchedOutbox outbox;
    private final Relay relay;
    private volatile CountDownLatch frozen = new CountDownLatch(1);
    private volatile CountDownLatch thaw = new CountDownLatch(1);
    private @Nullable CompletableFuture<Integer> pass;

    FreezingRelay(OutboxFixture rows, Outbox outbox, OutboxSettings settings) {
        this.outbox = new WatchedOutbox(outbox);
        this.outbox.beforeCall = operations -> {
            frozen.countDown();
            await(thaw);
        };
        this.relay = new Relay(rows.database, this.outbox, OutboxListener.NONE, settings);
    }

    /** Whether it holds rows that it has not sent. */
    boolean isFrozen() {
        return pass != null;
    }

    /** Takes rows and freezes, if there are any. */
    void freeze() {
        frozen = new CountDownLatch(1);
        thaw = new CountDownLatch(1);
        CompletableFuture<Integer> started = CompletableFuture.supplyAsync(relay::runOnce);
        pass = started;
        OutboxFixture.await().until(() -> frozen.getCount() == 0 || started.isDone());
    }

    /** Sends what it took; how many rows. */
    int thaw() throws Exception {
        CompletableFuture<Integer> started = pass;
        if (started == null) {
            return 0;
        }
        thaw.countDown();
        pass = null;
        return started.get(1, TimeUnit.MINUTES);
    }

    /** Number of changes that Redis applied only when they came from here. */
    int applied() {
        return outbox.applied.size();
    }

    /** Number of changes that Redis had applied before. */
    int repeated() {
        return outbox.repeated.get();
    }

    @Override
    public void close() throws Exception {
        thaw();
        relay.close();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
