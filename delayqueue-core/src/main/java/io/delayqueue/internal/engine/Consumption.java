package io.delayqueue.internal.engine;

import io.delayqueue.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a subscription, from start to stop: its claim loop, handlers, lease keeper and settlements. */
final class Consumption implements ClaimLoop.Sink {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

    private final ConsumerContext context;
    private final String consumer = UUID.randomUUID().toString();
    private final Map<InHand, CompletableFuture<Boolean>> inHands = new ConcurrentHashMap<>();
    private final ClaimLoop loop;
    private final Thread thread;
    private final Settlements settlements;
    private final Handling handling;
    private final Handlers handlers;
    private final LeaseKeeper keeper;
    private @Nullable AutoCloseable wakeUps;
    private @Nullable ScheduledFuture<?> keeping;

    Consumption(ConsumerContext context) {
        this.context = context;
        this.loop = new ClaimLoop(context, consumer, this);
        this.thread = new Thread(loop, "delayqueue-claim-" + context.topic());
        this.settlements = new Settlements(context, consumer, inHands::size);
        this.handling = new Handling(context, settlements, this::settle);
        this.handlers = new Handlers(
                context.topic(),
                context.options().concurrency(),
                context.options().threadFactory(),
                loop::placeFreed);
        this.keeper =
                new LeaseKeeper(inHands.keySet(), settlements, context.options().lease());
    }

    void start() {
        long interval = keeper.interval().toNanos();
        keeping = context.timer().scheduleWithFixedDelay(keeper, interval, interval, TimeUnit.NANOSECONDS);
        wakeUps = context.store().listen(context.topic(), loop::wakeUp);
        thread.setDaemon(true);
        thread.start();
    }

    ClaimLoop loop() {
        return loop;
    }

    int inFlight() {
        return inHands.size();
    }

    @Override
    public int freePlaces() {
        return handlers.free();
    }

    @Override
    public void accept(InHand inHand, Duration lag, long claimedNanos) {
        inHands.put(inHand, new CompletableFuture<>());
        if (loop.isStopping()) {
            giveBack(inHand);
            return;
        }
        try {
            handlers.start(place -> handling.handle(inHand, lag.plusNanos(System.nanoTime() - claimedNanos), place));
        } catch (RuntimeException | Error e) {
            giveBack(inHand);
            throw e;
        }
    }

    private void settle(Settlement settlement) {
        settlements.submit(settlement).whenComplete((held, error) -> {
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
                loop.wakeUp(TimeUnit.MICROSECONDS.convert(delay));
            }
        }
    }

    private void giveBack(InHand inHand) {
        if (inHand.decideUnlessBegun()) {
            settle(new Settlement.Release(inHand));
        }
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
            settlements.giveUp();
            handlers.shutdown();
            cancelKeeping();
            context.store().forget(context.topic(), consumer);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return finished;
    }

    private void stopClaiming() throws InterruptedException {
        loop.stop();
        thread.join(context.queue().commandTimeout().plusSeconds(1).toMillis());
        if (wakeUps != null) {
            try {
                wakeUps.close();
            } catch (Exception e) {
                log.debug("closing the wake-ups of topic '{}' failed", context.topic(), e);
            }
        }
        if (!thread.isAlive()) {
            try {
                loop.claimUnanswered();
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                log.debug("the last claim of topic '{}' stays unanswered", context.topic(), e);
            }
        }
    }

    private void interruptHandlers() throws InterruptedException {
        handling.interrupting();
        inHands.keySet().forEach(InHand::interrupt);
        handlers.awaitIdle(AFTER_INTERRUPT.toNanos());
        List<InHand> stuck = new ArrayList<>();
        for (InHand inHand : inHands.keySet()) {
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

    private void cancelKeeping() {
        if (keeping != null) {
            keeping.cancel(false);
        }
    }
}
