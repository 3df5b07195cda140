package io.delayqueue.internal.engine.settle;

import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.ThrottledLog;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one subscription that are in flight, and their way back to their partitions. Calls about one message go one
 * after the other, so that a renewal can't invalidate the ack behind it. Thread-safe.
 */
public final class Settlements implements Backlog {

    /** Messages of a partition that may wait to be settled: a batch that is under way, and one that gathers behind it. */
    static final int MAX_UNSETTLED = 2 * MessageStore.LARGEST_BATCH;

    private final ConsumerContext context;
    private final String consumer;
    private final ThrottledLog backlogLog;
    private final Set<InFlightMessage> inFlight = ConcurrentHashMap.newKeySet();
    private final List<Route> routes = new CopyOnWriteArrayList<>();
    private volatile @Nullable CompletableFuture<Void> emptied;

    /**
     * Has no partition yet.
     *
     * @param consumer unique in the world
     */
    public Settlements(ConsumerContext context, String consumer) {
        this.context = context;
        this.consumer = consumer;
        this.backlogLog = new ThrottledLog("Topic '" + context.topic() + "'");
    }

    /** Adds the next partition; their numbers count from 0. */
    public void addPartition(Partition partition) {
        routes.add(new Route(context, partition, consumer, inFlight));
    }

    /** Adds a message that was just claimed. */
    public void add(InFlightMessage message) {
        inFlight.add(message);
        Route route = routes.get(message.partition());
        route.inFlight.incrementAndGet();
        route.urgentLeases.added(message);
    }

    /** The messages not settled yet; a live view. */
    public Collection<InFlightMessage> inFlight() {
        return Collections.unmodifiableSet(inFlight);
    }

    /** Whether {@link #searchUrgentLease} is worth it; costs nothing. Called by the thread that claims. */
    public boolean mayHaveUrgentLease(int partition) {
        return routes.get(partition).urgentLeases.mayExist();
    }

    /**
     * Looks at each message. Returns whether a lease is about to end, or over, although a call about its message waits for Redis: a claim
     * that comes before that call would take the message back. Called by the thread that claims.
     */
    public boolean searchUrgentLease(int partition) {
        Route route = routes.get(partition);
        return route.urgentLeases.search() && !route.isRefused();
    }

    /** Settles a message. The answer is whether the lease was still held; then the message is no longer in flight. */
    public CompletableFuture<Boolean> settle(Settlement settlement) {
        InFlightMessage message = settlement.message();
        Route route = routes.get(message.partition());
        route.unsettled.incrementAndGet();
        return inOrder(message, settlement, route::submit).whenComplete((held, error) -> {
            route.unsettled.decrementAndGet();
            remove(message, route);
        });
    }

    private void remove(InFlightMessage message, Route route) {
        if (inFlight.remove(message)) {
            route.inFlight.decrementAndGet();
        }
        CompletableFuture<Void> waiting = emptied;
        if (waiting != null && inFlight.isEmpty()) {
            waiting.complete(null);
        }
    }

    @Override
    public boolean hasBacklog(int partition) {
        return routes.get(partition).hasBacklog();
    }

    @Override
    public void warnOfStuckBacklog(int partition) {
        Route route = routes.get(partition);
        if (route.isStuck()) {
            backlogLog.warn("Redis does not settle " + route.unsettled + " handled messages of partition " + partition
                    + ", so no more are claimed; still retrying");
        }
    }

    /** The number of messages that wait for Redis to settle them. */
    public int unsettled() {
        return routes.stream().mapToInt(route -> route.unsettled.get()).sum();
    }

    /** Whether no partition has a backlog that Redis refuses to settle. */
    public boolean isHealthy() {
        return routes.stream().noneMatch(Route::isStuck);
    }

    /** Renews the lease of a message, from now. The answer is whether the lease was still held. */
    public CompletableFuture<Boolean> extend(InFlightMessage message, Duration lease) {
        return extend(message, lease, false);
    }

    /** As {@link #extend(InFlightMessage, Duration)}, telling Redis whether a suspect begins alone. */
    public CompletableFuture<Boolean> extend(InFlightMessage message, Duration lease, boolean alone) {
        return extend(message, lease, alone ? Extension.Mode.RENEW_ALONE : Extension.Mode.RENEW);
    }

    private CompletableFuture<Boolean> extend(InFlightMessage message, Duration lease, Extension.Mode mode) {
        return inOrder(
                message,
                new RenewalBatcher.Renewal(message, lease, mode),
                routes.get(message.partition()).renewals::submit);
    }

    /**
     * Extends the lease of a message that left this process; its receipt stays good. The answer is whether the lease was still held.
     *
     * @param mayShorten whether the lease may end earlier than before
     */
    public CompletableFuture<Boolean> extendByReceipt(InFlightMessage message, Duration lease, boolean mayShorten) {
        return extend(message, lease, mayShorten ? Extension.Mode.CHANGE : Extension.Mode.KEEP_RECEIPT);
    }

    /** A message is no longer in flight here, although its lease goes on: another process settles it, by its receipt. */
    public void handOver(InFlightMessage message) {
        remove(message, routes.get(message.partition()));
    }

    private static <T> CompletableFuture<Boolean> inOrder(
            InFlightMessage message, T item, BiConsumer<T, CompletableFuture<Boolean>> submit) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        CompletableFuture<Boolean> before = message.enqueue(answer);
        if (before == null || before.isDone()) {
            submit(item, answer, submit);
        } else {
            before.whenComplete((held, error) -> submit(item, answer, submit));
        }
        return answer;
    }

    private static <T> void submit(
            T item, CompletableFuture<Boolean> answer, BiConsumer<T, CompletableFuture<Boolean>> submit) {
        try {
            submit.accept(item, answer);
        } catch (Throwable e) {
            // calls about this message wait behind this answer
            answer.completeExceptionally(e);
        }
    }

    /** Completes when no message is in flight. No message may be added any more. */
    public CompletableFuture<Void> whenEmpty() {
        CompletableFuture<Void> waiting = new CompletableFuture<>();
        emptied = waiting;
        if (inFlight.isEmpty()) {
            waiting.complete(null);
        }
        return waiting;
    }

    /** Repeats no call any more: a message whose settlement is not answered now is delivered again after its lease. */
    public void giveUp() {
        routes.forEach(Route::giveUp);
    }

    /**
     * The way back to one partition. Renewals are batched apart from completions: while an ack is not answered, the messages that
     * are still being handled keep their leases.
     */
    private static final class Route {

        private final LeaseCalls renewalCalls;
        private final LeaseCalls completionCalls;
        private final AtomicInteger inFlight = new AtomicInteger();
        private final AtomicInteger unsettled = new AtomicInteger();
        private final RenewalBatcher renewals;
        private final SettlementBatcher<Settlement.Ack> acks;
        private final SettlementBatcher<Settlement.Ended> retries;
        private final SettlementBatcher<Settlement.Release> releases;
        private final UrgentLeases urgentLeases;

        private Route(
                ConsumerContext context, Partition partition, String consumer, Collection<InFlightMessage> ofAll) {
            this.renewalCalls = new LeaseCalls(context, partition, consumer);
            this.completionCalls = new LeaseCalls(context, partition, consumer);
            this.renewals = new RenewalBatcher(renewalCalls);
            this.acks = SettlementBatcher.acks(completionCalls, inFlight::get);
            this.retries = SettlementBatcher.retries(completionCalls, inFlight::get);
            this.releases = SettlementBatcher.releases(completionCalls, inFlight::get);
            this.urgentLeases = new UrgentLeases(
                    ofAll, partition.number(), context.options().lease());
        }

        private boolean isRefused() {
            return renewalCalls.isRefused() || completionCalls.isRefused();
        }

        private void submit(Settlement settlement, CompletableFuture<Boolean> answer) {
            if (settlement instanceof Settlement.Ack ack) {
                acks.submit(ack, answer);
            } else if (settlement instanceof Settlement.Ended ended) {
                retries.submit(ended, answer);
            } else if (settlement instanceof Settlement.Release release) {
                releases.submit(release, answer);
            }
        }

        private void giveUp() {
            renewalCalls.giveUp();
            completionCalls.giveUp();
        }

        private boolean hasBacklog() {
            return unsettled.get() >= MAX_UNSETTLED;
        }

        private boolean isStuck() {
            return hasBacklog() && completionCalls.isFailing();
        }
    }
}
