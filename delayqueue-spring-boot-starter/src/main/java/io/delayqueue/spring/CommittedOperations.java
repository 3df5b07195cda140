package io.delayqueue.spring;

import io.delayqueue.AsyncOperations;
import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.spring.AfterCommitOperation.MessageKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the operations of committed transactions, and repeats them while Redis is unavailable. Those on the same message keep
 * their order; others don't wait for each other, but that those of a bulk are answered together: messages to one topic, when there are
 * many. Bounded in memory and time. Safe for use by several threads.
 *
 * <p>The committing thread still holds its database connection, so it waits for Redis only briefly: long enough for a healthy
 * one, and not at all while other transactions are still unanswered after that time. Redis' answers come on a thread of its own,
 * so that nothing here waits for what the application chains to its futures.
 */
final class CommittedOperations implements SendingOperation.Progress {

    private static final Logger log = LoggerFactory.getLogger(CommittedOperations.class);

    /** Long for a Redis that answers, and short for a database connection. */
    private static final Duration BRIEFLY = Duration.ofMillis(200);

    /** As long as an operator may need. A journal is for longer ones. */
    private static final Duration GIVE_UP_AFTER = Duration.ofMinutes(10);

    /** Above a usual transaction, and below the number from which on single calls of other threads would wait noticeably. */
    private static final int MIN_BULK = 100;

    /** About a batch of Redis. The client bounds what waits, and would refuse a bulk of all that a long outage leaves. */
    private static final int MAX_BULK = 500;

    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);

    private final AsyncOperations calls;
    private final Duration giveUpAfter;
    private final Executor thread;
    private final RepeatRounds<SendingOperation<?>> repeats;
    private final WaitingBytes bytes = new WaitingBytes();
    private final Set<SendingOperation<?>> waiting = ConcurrentHashMap.newKeySet();
    private final Map<MessageKey, SendingOperation<?>> lastOfMessage = new ConcurrentHashMap<>();
    /** Transactions that are not answered after a brief wait. */
    private final AtomicInteger late = new AtomicInteger();

    private final AtomicLong loggedAt = new AtomicLong(System.nanoTime() - LOG_INTERVAL.toNanos());
    private volatile boolean running = true;

    CommittedOperations(DelayQueueClient client) {
        this(client::completingOn, GIVE_UP_AFTER);
    }

    /** @param calls of the client, with answers that come on the given executor */
    CommittedOperations(Function<Executor, AsyncOperations> calls, Duration giveUpAfter) {
        ScheduledThreadPoolExecutor own = ownThread();
        this.thread = own;
        this.calls = calls.apply(own);
        this.giveUpAfter = giveUpAfter;
        this.repeats = new RepeatRounds<>(own, round -> attemptAll(round, 1));
    }

    /** Ends while it has nothing to do. */
    private static ScheduledThreadPoolExecutor ownThread() {
        ScheduledThreadPoolExecutor own = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "delayqueue-after-commit");
            thread.setDaemon(true);
            return thread;
        });
        own.setKeepAliveTime(10, TimeUnit.SECONDS);
        own.allowCoreThreadTimeOut(true);
        return own;
    }

    /**
     * Refuses operations while too many bytes wait, in all or of one of their topics.
     *
     * @throws ClientOverloadedException names the topic
     */
    void requireCapacity(List<AfterCommitOperation<?>> operations) {
        bytes.requireCapacity(operations);
    }

    /** Sends operations in the given order, and waits briefly for their answers. */
    void send(List<AfterCommitOperation<?>> operations) {
        List<SendingOperation<?>> all = new ArrayList<>(operations.size());
        List<SendingOperation<?>> first = new ArrayList<>(operations.size());
        for (AfterCommitOperation<?> operation : operations) {
            SendingOperation<?> sending = new SendingOperation<>(operation, this);
            all.add(sending);
            if (add(sending)) {
                first.add(sending);
            }
        }
        attemptAll(first, MIN_BULK);
        if (late.get() == 0) {
            awaitBriefly(allDone(all));
        }
    }

    /** Whether failed operations are repeated. */
    boolean isRunning() {
        return running;
    }

    /** Repeats failed operations from now on, as at first. */
    void start() {
        running = true;
    }

    /** Waits until all operations are answered. Gives those up that are not in time, and logs them. */
    void stop(Duration timeout) {
        try {
            allDone(waiting).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            log.debug("Some operations were not answered within {}", timeout, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        running = false;
        // all end before the first one's successor could begin
        List<SendingOperation<?>> lost =
                waiting.stream().filter(SendingOperation::end).toList();
        LostOperations.log(
                log,
                "given up at the stop of the application, with unknown outcome",
                lost.stream()
                        .<AfterCommitOperation<?>>map(SendingOperation::operation)
                        .toList());
        lost.forEach(sending -> sending.complete(null, stopped(sending.operation())));
    }

    private static DelayQueueException stopped(AfterCommitOperation<?> operation) {
        return new DelayQueueException(
                "The application was stopped before Redis answered, outcome unknown: " + operation,
                operation.topic(),
                operation.id(),
                null);
    }

    /** Whether it can be attempted at once. Otherwise it is as soon as the operation before it on the same message ends. */
    private boolean add(SendingOperation<?> sending) {
        waiting.add(sending);
        bytes.add(sending.operation());
        SendingOperation<?> before = lastOfMessage.put(sending.operation().message(), sending);
        if (before == null) {
            return true;
        }
        // as a task, since a long chain could end at once
        before.done().whenCompleteAsync((done, failure) -> sending.attempt(calls), thread);
        return false;
    }

    /** Attempts operations on different messages. From a number of messages to schedule on, they go as bulks. */
    private void attemptAll(List<SendingOperation<?>> operations, int minBulk) {
        List<SendingOperation<?>> messages = operations.stream()
                .filter(sending -> sending.operation().scheduled() != null && sending.isWanted())
                .toList();
        if (messages.size() < minBulk) {
            messages.forEach(sending -> sending.attempt(calls));
        } else {
            // by topic, since Redis may answer for some of them only
            messages.stream()
                    .collect(
                            Collectors.groupingBy(sending -> sending.operation().topic()))
                    .values()
                    .forEach(this::scheduleInBulks);
        }
        operations.stream()
                .filter(sending -> sending.operation().scheduled() == null)
                .forEach(sending -> sending.attempt(calls));
    }

    private void scheduleInBulks(List<SendingOperation<?>> messages) {
        for (int from = 0; from < messages.size(); from += MAX_BULK) {
            scheduleTogether(messages.subList(from, Math.min(from + MAX_BULK, messages.size())));
        }
    }

    private void scheduleTogether(List<SendingOperation<?>> sendings) {
        List<OutgoingMessage> messages = sendings.stream()
                .flatMap(sending -> Stream.ofNullable(sending.operation().scheduled()))
                .toList();
        List<CompletableFuture<ScheduleResult>> answers;
        try {
            answers = BulkCall.of(calls, messages);
        } catch (RuntimeException | Error e) {
            sendings.forEach(sending -> sending.attempt(calls)); // so that a message that is refused harms no other
            return;
        }
        for (int i = 0; i < answers.size(); i++) {
            sendings.get(i).follow(answers.get(i));
        }
    }

    private static CompletableFuture<Void> allDone(Collection<SendingOperation<?>> operations) {
        return CompletableFuture.allOf(
                operations.stream().map(SendingOperation::done).toArray(CompletableFuture[]::new));
    }

    private void awaitBriefly(CompletableFuture<Void> done) {
        try {
            done.get(BRIEFLY.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            late.incrementAndGet();
            done.whenComplete((all, failure) -> late.decrementAndGet());
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // never ends with a failure
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isToGiveUp(SendingOperation<?> sending, Throwable failure) {
        return !running
                || !(failure instanceof DelayQueueException || failure instanceof Error)
                || sending.age().compareTo(giveUpAfter) >= 0;
    }

    @Override
    public void repeat(SendingOperation<?> sending, Duration delay, Throwable failure) {
        logFailure(failure);
        repeats.add(sending, delay);
    }

    @Override
    public void ended(SendingOperation<?> sending) {
        waiting.remove(sending);
        bytes.remove(sending.operation());
        lastOfMessage.remove(sending.operation().message(), sending);
    }

    private void logFailure(Throwable failure) {
        long now = System.nanoTime();
        long before = loggedAt.get();
        if (now - before >= LOG_INTERVAL.toNanos() && loggedAt.compareAndSet(before, now)) {
            log.warn(
                    "{} delay queue operations of committed transactions wait for Redis and are repeated: {}",
                    waiting.size(),
                    failure.getMessage());
        }
    }
}
