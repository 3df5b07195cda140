package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.RetryPause;
import io.delayqueue.internal.engine.shared.ThrottledLog;
import io.delayqueue.internal.store.Partition;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subscription's part in one partition: its claim loop, and the wake-ups that reach it. */
final class PartitionConsumer {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final ConsumerContext context;
    private final Partition partition;
    private final String consumer;
    private final ClaimLoop loop;
    private final AtomicReference<@Nullable AutoCloseable> wakeUps = new AtomicReference<>();
    private final ThrottledLog wakeUpLog;
    private volatile boolean withoutWakeUps;
    private volatile boolean stopping;

    PartitionConsumer(
            ConsumerContext context, Partition partition, String consumer, ClaimTarget target, SuspectPermit permit) {
        this.context = context;
        this.partition = partition;
        this.consumer = consumer;
        this.wakeUpLog = new ThrottledLog("Listening to the wake-ups of topic " + partition);
        this.loop = new ClaimLoop(context, partition, consumer, target, permit);
    }

    /** Never fails: without wake-ups, it claims at the guard interval until they are there. */
    void start() {
        listen(RetryPause.FIRST);
        loop.start();
    }

    private void listen(RetryPause pause) {
        try {
            wakeUps.set(context.client().store().listen(partition, loop::wakeUp));
            withoutWakeUps = false;
            wakeUpLog.succeeded();
        } catch (RuntimeException | Error e) {
            withoutWakeUps = true;
            wakeUpLog.failed(e);
            listenLater(pause);
        }
        // checked after setting: a stop that comes meanwhile closes them, or is seen here
        if (stopping) {
            closeWakeUps();
        }
    }

    private void listenLater(RetryPause pause) {
        try {
            context.client().timer().schedule(() -> listenAgain(pause), pause.nanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            log.debug("the client was closed before topic {} had wake-ups", partition);
        }
    }

    private void listenAgain(RetryPause pause) {
        if (!stopping) {
            listen(pause.next());
        }
    }

    ClaimLoop loop() {
        return loop;
    }

    boolean isHealthy() {
        return loop.isHealthy() && !withoutWakeUps;
    }

    /** Claims no more; see {@link ClaimLoop#stop}. */
    CompletableFuture<Void> stopClaiming() {
        stopping = true;
        closeWakeUps();
        return loop.stop();
    }

    private void closeWakeUps() {
        AutoCloseable open = wakeUps.getAndSet(null);
        if (open != null) {
            try {
                open.close();
            } catch (Exception e) {
                log.debug("closing the wake-ups of topic {} failed", partition, e);
            }
        }
    }

    /** Has Redis forget this consumer; after the last settlement. */
    CompletableFuture<Void> forget() {
        return context.client().store().forgetConsumer(partition, consumer);
    }
}
