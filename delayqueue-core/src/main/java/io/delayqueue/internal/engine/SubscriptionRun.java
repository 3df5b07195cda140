package io.delayqueue.internal.engine;

import io.delayqueue.WakeUp;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a subscription, from start to stop: its part in each partition, its handlers and lease keeper. */
final class SubscriptionRun {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);
    private static final Duration AT_THE_END = Duration.ofSeconds(1);

    private final ConsumerContext context;
    private final String consumer = UUID.randomUUID().toString();
    private final Map<InFlightMessage, CompletableFuture<Boolean>> inHands = new ConcurrentHashMap<>();
    private final ReentrantLock growing = new ReentrantLock();
    private final List<PartitionConsumer> partitions = new CopyOnWriteArrayList<>();
    private final AtomicBoolean asking = new AtomicBoolean();
    private final HandlerInvoker handling;
    private final Handlers handlers;
    private final LeaseKeeper keeper;
    private volatile boolean layoutKnown;
    private volatile boolean paused;
    private volatile boolean stopping;
    private @Nullable ScheduledFuture<?> keeping;

    SubscriptionRun(ConsumerContext context) {
        this.context = context;
        this.handling = new HandlerInvoker(context, this::settle);
        this.handlers = new Handlers(
                context.topic(),
                context.options().concurrency(),
                context.options().threadFactory(),
                vacancy -> partitions.forEach(partition -> partition.loop().placeFreed(vacancy)));
        this.keeper = new LeaseKeeper(inHands.keySet(), context.options().lease());
    }

    /** Every topic has a first partition; how many more will be known soon. */
    void start() {
        long interval = keeper.interval().toNanos();
        keeping = context.timer().scheduleWithFixedDelay(keeper, interval, interval, TimeUnit.NANOSECONDS);
        serve(1);
        askLayout(context.layouts().of(context.topic()));
    }

    private void serve(int count) {
        growing.lock();
        try {
            while (partitions.size() < count && !stopping) {
                Partition next = new Partition(context.topic(), partitions.size(), count);
                PartitionConsumer partition = new PartitionConsumer(context, next, consumer, this);
                partition.loop().pause(paused);
                partitions.add(partition);
                partition.start();
            }
        } finally {
            growing.unlock();
        }
    }

    /** What a partition told. */
    void layoutIs(int count) {
        int served = partitions.size();
        if (count == served && layoutKnown) {
            return;
        }
        Partitioning known = context.layouts().known(context.topic());
        if (count < served && layoutKnown) {
            // it forgot: whoever knows no better would not find what is in the others
            if (!asking.get()) {
                askLayout(context.layouts().learn(context.topic(), served));
            }
        } else if (known != null && known.partitions() >= count) {
            layoutKnown = true;
            serve(known.partitions());
        } else if (!asking.get()) {
            askLayout(
                    count > served
                            ? context.layouts().learn(context.topic(), count)
                            : context.layouts().of(context.topic()));
        }
    }

    private void askLayout(CompletableFuture<Partitioning> answer) {
        asking.set(true);
        answer.whenComplete((layout, error) -> {
            asking.set(false);
            if (error == null) {
                layoutKnown = true;
                serve(layout.partitions());
            }
        });
    }

    void pause(boolean pause) {
        growing.lock();
        try {
            paused = pause;
            partitions.forEach(partition -> partition.loop().pause(pause));
        } finally {
            growing.unlock();
        }
    }

    boolean isHealthy() {
        return partitions.stream().allMatch(partition -> partition.loop().isHealthy());
    }

    /** Something may be due that soon. */
    void wakeUp(long waitMicros) {
        partitions.forEach(partition -> partition.loop().wakeUp(waitMicros));
    }

    int inFlight() {
        return inHands.size();
    }

    boolean isShared() {
        return partitions.size() > 1;
    }

    Handlers handlers() {
        return handlers;
    }

    /** @param settled run when it is settled or given up */
    void accept(InFlightMessage inHand, Runnable settled) {
        CompletableFuture<Boolean> settlement = new CompletableFuture<>();
        settlement.whenComplete((held, error) -> settled.run());
        inHands.put(inHand, settlement);
        if (stopping) {
            giveBack(inHand);
            return;
        }
        try {
            handlers.start(inHand.dueNanos(), new Handlers.Work() {
                @Override
                public void run(Handlers.Place place) {
                    handling.handle(inHand, place);
                }

                @Override
                public void turnedAway() {
                    giveBack(inHand);
                }

                @Override
                public void refused(Throwable reason) {
                    if (giveBack(inHand)) {
                        context.failed(reason);
                    }
                }
            });
        } catch (RuntimeException | Error e) {
            giveBack(inHand);
            throw e;
        }
    }

    private void settle(Settlement settlement) {
        settlement.inHand().settlements().submit(settlement).whenComplete((held, error) -> {
            wakeUpFor(settlement);
            CompletableFuture<Boolean> settled = inHands.remove(settlement.inHand());
            if (settled != null) {
                settled.complete(error == null && held);
            }
        });
    }

    /** Where nobody else wakes this consumer, the retries it asked for itself must. */
    private void wakeUpFor(Settlement settlement) {
        if (context.queue().wakeUp() == WakeUp.POLL && settlement instanceof Settlement.Retry retry) {
            Duration delay = retry.delay();
            if (delay != null) {
                wakeUp(TimeUnit.MICROSECONDS.convert(delay));
            }
        }
    }

    /** Does nothing if its handler has begun, or it was decided otherwise; whether it was given back. */
    private boolean giveBack(InFlightMessage inHand) {
        boolean given = inHand.decideUnlessBegun();
        if (given) {
            settle(new Settlement.Release(inHand));
        }
        return given;
    }

    /** The shutdown protocol; see {@link io.delayqueue.Subscription#stop}. Called once. */
    boolean stop(Duration grace) {
        long end = System.nanoTime() + grace.toNanos();
        boolean interrupted = Thread.interrupted();
        boolean finished = false;
        try {
            stopClaiming();
            inHands.keySet().forEach(this::giveBack);
            finished = handlers.awaitIdle(end - System.nanoTime());
            if (!finished) {
                interruptHandlers();
            }
            awaitSettled();
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            handlers.shutdown();
            cancelKeeping();
            end();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return finished;
    }

    private void stopClaiming() throws InterruptedException {
        growing.lock();
        try {
            stopping = true;
        } finally {
            growing.unlock();
        }
        partitions.forEach(partition -> partition.loop().stop());
        for (PartitionConsumer partition : partitions) {
            partition.stopClaiming();
        }
    }

    private void interruptHandlers() throws InterruptedException {
        handling.interrupting();
        inHands.keySet().forEach(InFlightMessage::interrupt);
        handlers.awaitIdle(AFTER_INTERRUPT.toNanos());
        List<InFlightMessage> stuck = new ArrayList<>();
        for (InFlightMessage inHand : inHands.keySet()) {
            if (inHand.decide()) {
                stuck.add(inHand);
                settle(new Settlement.Release(inHand));
            }
        }
        if (!stuck.isEmpty()) {
            log.warn(
                    "{} handlers of topic '{}' did not end when interrupted; their messages were given back, among them {}",
                    stuck.size(),
                    context.topic(),
                    stuck.get(0).message());
        }
    }

    private void awaitSettled() throws InterruptedException {
        try {
            CompletableFuture.allOf(inHands.values().toArray(CompletableFuture[]::new))
                    .get(context.queue().commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            log.warn(
                    "{} messages of topic '{}' could not be settled before the end; they come again after their lease",
                    inHands.size(),
                    context.topic());
        }
    }

    /** Waits a moment: the connection may be closed next, and a command that is on its way lost with it. */
    private void end() {
        CompletableFuture<?>[] ends =
                partitions.stream().map(PartitionConsumer::end).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(ends).get(AT_THE_END.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            log.debug("a consumer of topic '{}' stays known for an hour", context.topic(), e);
        }
    }

    private void cancelKeeping() {
        if (keeping != null) {
            keeping.cancel(false);
        }
    }
}
