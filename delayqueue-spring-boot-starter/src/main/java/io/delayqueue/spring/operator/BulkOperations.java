package io.delayqueue.spring.operator;

import io.delayqueue.DelayQueueClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Redrives and purges many messages, as jobs that outlive the call which began them. First a plan counts the messages and gives a
 * token; then the token starts the job. The job changes the messages that the plan counted; later ones stay. Starting a token again
 * does nothing new. Plans and jobs are kept in this process alone: if it ends, the rest of a job is not done. Safe for use by several
 * threads.
 */
public final class BulkOperations {

    /** Maximum number of jobs that run at the same time. */
    public static final int MAX_RUNNING = 8;

    /** Maximum number of jobs that are remembered, the latest ones. */
    public static final int MAX_JOBS = 100;

    /** Maximum number of plans not started. A further one takes the place of the oldest. */
    public static final int MAX_PLANS = 20;

    /** Maximum number of pending messages in one plan, those due first: the plan holds their ids. */
    public static final int MAX_PENDING = 10_000;

    /** Maximum rate of a job that has one. */
    public static final int MAX_RATE = 100_000;

    /** Time for which a plan can be started. */
    public static final Duration PLAN_LIFETIME = Duration.ofMinutes(15);

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

    private final DelayQueueClient client;
    private final OperationLog log;
    private final Supplier<Instant> clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Planned> plans = new LinkedHashMap<>();
    private final Map<String, BulkRun> runs = new LinkedHashMap<>();
    private final AtomicInteger threads = new AtomicInteger();
    private final ExecutorService executor = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "delayqueue-operator-" + threads.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    });

    private record Planned(PlannedMessages messages, Instant expires) {}

    BulkOperations(DelayQueueClient client, OperationLog log, Supplier<Instant> clock) {
        this.client = client;
        this.log = log;
        this.clock = clock;
    }

    /** Counts the messages that a bulk operation would change. Needs the operation's right. */
    public BulkPlan plan(Caller caller, BulkRequest request) {
        log.require(caller, request.operation(), request.topic(), List.of());
        PlannedMessages messages = PlannedMessages.of(client, request);
        String token = UUID.randomUUID().toString();
        Instant expires = clock.get().plus(PLAN_LIFETIME);
        locked(() -> {
            dropExpired();
            plans.put(token, new Planned(messages, expires));
            dropFirst(plans.keySet(), MAX_PLANS);
            return token;
        });
        return new BulkPlan(token, messages.request(), messages.count(), messages.matching(), expires);
    }

    /**
     * Starts a plan, or tells the job that was started with its token before.
     *
     * @param ratePerSecond messages to change in a second, 1 to {@link #MAX_RATE}; null for no limit
     * @throws UnknownPlanException if this process has no such plan, or it expired
     * @throws TooManyJobsException if {@link #MAX_RUNNING} jobs are running
     */
    public BulkJob start(Caller caller, String token, @Nullable Integer ratePerSecond) {
        if (ratePerSecond != null && (ratePerSecond < 1 || ratePerSecond > MAX_RATE)) {
            throw new IllegalArgumentException("a rate must be from 1 to " + MAX_RATE + ", not " + ratePerSecond);
        }
        requireRight(caller, token);
        return locked(() -> {
                    BulkRun before = runs.get(token);
                    return before != null ? before : begin(caller, token, ratePerSecond);
                })
                .status();
    }

    private BulkRun begin(Caller caller, String token, @Nullable Integer ratePerSecond) {
        dropExpired();
        Planned planned = plans.get(token);
        if (planned == null) {
            throw new UnknownPlanException(token);
        }
        if (runs.values().stream().filter(BulkRun::isRunning).count() >= MAX_RUNNING) {
            throw new TooManyJobsException(MAX_RUNNING);
        }
        BulkRun run =
                new BulkRun(client, new BulkRun.Start(token, planned.messages, caller.name(), ratePerSecond), log);
        executor.execute(run);
        plans.remove(token);
        runs.put(token, run);
        dropEnded();
        return run;
    }

    /**
     * Ends a job after the step that is under way; the rest is not done. Needs the operation's right.
     *
     * @throws UnknownPlanException if this process has no job with the token
     */
    public BulkJob stop(Caller caller, String token) {
        requireRight(caller, token);
        BulkRun run = locked(() -> runs.get(token));
        if (run == null) {
            throw new UnknownPlanException(token);
        }
        run.stop(caller.name());
        return run.status();
    }

    /** The job that this token started; empty if this process has none, or it is older than the latest {@link #MAX_JOBS}. */
    public Optional<BulkJob> job(Caller caller, String token) {
        caller.require(Right.VIEW);
        return locked(() -> Optional.ofNullable(runs.get(token))).map(BulkRun::status);
    }

    /** The jobs of this process, oldest first: those running and the latest ended ones, at most {@link #MAX_JOBS}. */
    public List<BulkJob> jobs(Caller caller) {
        caller.require(Right.VIEW);
        return locked(() -> List.copyOf(runs.values())).stream()
                .map(BulkRun::status)
                .toList();
    }

    /** The latest dead letters of a topic by their errors, at most {@link ErrorGroups#MAX_EXAMINED}. */
    public ErrorGroups errorGroups(Caller caller, String topic) {
        caller.require(Right.VIEW);
        return LatestErrors.of(client.deadLetters(topic)).groups(caller.has(Right.PAYLOAD));
    }

    /** Stops all jobs, and waits a few seconds for the steps under way. */
    void close() {
        locked(() -> List.copyOf(runs.values())).forEach(run -> run.stop("shutdown"));
        executor.shutdown();
        try {
            executor.awaitTermination(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void requireRight(Caller caller, String token) {
        BulkRequest request = locked(() -> {
            BulkRun run = runs.get(token);
            Planned planned = plans.get(token);
            if (run != null) {
                return run.request();
            }
            return planned == null ? null : planned.messages.request();
        });
        if (request == null) {
            throw new UnknownPlanException(token);
        }
        log.require(caller, request.operation(), request.topic(), List.of());
    }

    private void dropExpired() {
        Instant now = clock.get();
        plans.values().removeIf(planned -> !planned.expires.isAfter(now));
    }

    /** Running ones stay. */
    private void dropEnded() {
        List<String> ended = new ArrayList<>();
        runs.forEach((token, run) -> {
            if (!run.isRunning()) {
                ended.add(token);
            }
        });
        ended.stream().limit(Math.max(0, runs.size() - MAX_JOBS)).forEach(runs::remove);
    }

    private static void dropFirst(Collection<String> tokens, int most) {
        Iterator<String> oldest = tokens.iterator();
        while (tokens.size() > most) {
            oldest.next();
            oldest.remove();
        }
    }

    private <T extends @Nullable Object> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
