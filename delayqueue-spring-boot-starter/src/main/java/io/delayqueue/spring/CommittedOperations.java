package io.delayqueue.spring;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.spring.AfterCommitOperation.MessageKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the operations of committed transactions, and repeats them while Redis is unavailable. Those on the same message keep
 * their order; others don't wait for each other. Bounded in memory and time. Safe for use by several threads.
 *
 * <p>The committing thread still holds its database connection, so it waits for Redis only briefly: long enough for a healthy
 * one, and not at all while other transactions are still unanswered after that time.
 */
final class CommittedOperations {

    private static final Logger log = LoggerFactory.getLogger(CommittedOperations.class);

    /** Long for a Redis that answers, and short for a database connection. */
    private static final Duration BRIEFLY = Duration.ofMillis(200);

    /** As long as an operator may need. Whoever waits longer needs a journal. */
    private static final Duration GIVE_UP_AFTER = Duration.ofMinutes(10);

    private static final Duration FIRST_RETRY_DELAY = Duration.ofMillis(250);
    private static final Duration MAX_RETRY_DELAY = Duration.ofSeconds(8);

    /** Memory for operations that wait, and the part of it that one topic gets, since only one may be refused by Redis. */
    private static final long MAX_BYTES = 64L * 1024 * 1024;

    private static final long MAX_TOPIC_BYTES = MAX_BYTES / 4;

    /** Above a usual transaction, and below the number from which on single calls of other threads would wait noticeably. */
    private static final int MIN_BULK = 100;

    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);

    private final DelayQueueClient client;
    private final Duration giveUpAfter;
    private final Set<Sending<?>> waiting = ConcurrentHashMap.newKeySet();
    private final Map<MessageKey, Sending<?>> lastOfMessage = new ConcurrentHashMap<>();
    private final Map<String, AtomicLong> bytesOfTopic = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    /** Transactions that are not answered after a brief wait. */
    private final AtomicInteger late = new AtomicInteger();

    private final AtomicLong loggedAt = new AtomicLong(System.nanoTime() - LOG_INTERVAL.toNanos());
    private volatile boolean running = true;

    CommittedOperations(DelayQueueClient client) {
        this(client, GIVE_UP_AFTER);
    }

    CommittedOperations(DelayQueueClient client, Duration giveUpAfter) {
        this.client = client;
        this.giveUpAfter = giveUpAfter;
    }

    /**
     * Refuses operations while too many of their topics wait.
     *
     * @throws ClientOverloadedException names the topic
     */
    void requireCapacity(List<AfterCommitOperation<?>> operations) {
        for (AfterCommitOperation<?> operation : operations) {
            AtomicLong ofTopic = bytesOfTopic.get(operation.topic());
            if (bytes.get() >= MAX_BYTES || ofTopic != null && ofTopic.get() >= MAX_TOPIC_BYTES) {
                throw new ClientOverloadedException(
                        "Too many delay queue operations of committed transactions wait for Redis (" + waiting.size()
                                + ", " + bytes.get() + " bytes): the transaction is rolled back, and nothing was sent",
                        operation.topic(),
                        operation.id(),
                        null);
            }
        }
    }

    /** Sends operations in the given order, and waits briefly for their answers. */
    void send(List<AfterCommitOperation<?>> operations) {
        CompletableFuture<?>[] done = new CompletableFuture<?>[operations.size()];
        List<Sending<?>> messages = new ArrayList<>();
        List<Sending<?>> others = new ArrayList<>();
        for (int i = 0; i < done.length; i++) {
            Sending<?> sending = new Sending<>(operations.get(i));
            done[i] = sending.done;
            if (add(sending)) {
                (sending.operation.scheduled() == null ? others : messages).add(sending);
            }
        }
        if (messages.size() < MIN_BULK) {
            messages.forEach(Sending::attempt);
        } else {
            scheduleTogether(messages);
        }
        others.forEach(Sending::attempt);
        if (late.get() == 0) {
            awaitBriefly(CompletableFuture.allOf(done));
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
        CompletableFuture<?>[] done =
                waiting.stream().map(sending -> sending.done).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(done).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            log.debug("Some operations were not answered within {}", timeout, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        running = false;
        // all end before the first one's successor could begin
        List<Sending<?>> lost = waiting.stream()
                .filter(sending -> sending.ended.compareAndSet(false, true))
                .toList();
        LostOperations.log(
                log,
                "given up at the stop of the application, with unknown outcome",
                lost.stream()
                        .<AfterCommitOperation<?>>map(sending -> sending.operation)
                        .toList());
        lost.forEach(sending -> sending.complete(null, stopped(sending.operation)));
    }

    private static DelayQueueException stopped(AfterCommitOperation<?> operation) {
        return new DelayQueueException(
                "The application was stopped before Redis answered, outcome unknown: " + operation,
                operation.topic(),
                operation.id(),
                null);
    }

    /** Whether it can be attempted at once. Otherwise it is as soon as the operation before it on the same message ends. */
    private boolean add(Sending<?> sending) {
        waiting.add(sending);
        addBytes(sending.operation, sending.operation.bytes());
        Sending<?> before = lastOfMessage.put(sending.operation.message(), sending);
        if (before == null) {
            return true;
        }
        // on another thread, since a long chain could end at once
        before.done.whenCompleteAsync((done, failure) -> sending.attempt());
        return false;
    }

    private void scheduleTogether(List<Sending<?>> sendings) {
        List<OutgoingMessage> messages = sendings.stream()
                .flatMap(sending -> Stream.ofNullable(sending.operation.scheduled()))
                .toList();
        List<CompletableFuture<ScheduleResult>> answers;
        try {
            answers = BulkFirstCall.of(client, messages);
        } catch (RuntimeException e) {
            sendings.forEach(Sending::attempt); // so that a message that is refused harms no other
            return;
        }
        for (int i = 0; i < answers.size(); i++) {
            sendings.get(i).follow(answers.get(i));
        }
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

    private void addBytes(AfterCommitOperation<?> operation, long added) {
        bytes.addAndGet(added);
        bytesOfTopic.compute(operation.topic(), (topic, before) -> {
            AtomicLong ofTopic = before == null ? new AtomicLong() : before;
            return ofTopic.addAndGet(added) == 0 ? null : ofTopic;
        });
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

    /** An operation until it is answered or given up. */
    private final class Sending<T> {

        private final AfterCommitOperation<T> operation;
        private final long since = System.nanoTime();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private Duration nextDelay = FIRST_RETRY_DELAY;

        Sending(AfterCommitOperation<T> operation) {
            this.operation = operation;
        }

        void attempt() {
            if (ended.get()) {
                return;
            }
            if (operation.answer().isDone()) {
                // its caller gave it up
                if (ended.compareAndSet(false, true)) {
                    complete(null, new CancellationException());
                }
                return;
            }
            try {
                follow(operation.call().get());
            } catch (RuntimeException e) {
                failed(e);
            }
        }

        /** Ends with the answer of a call, or is attempted again. */
        @SuppressWarnings("unchecked") // the answer is one of this operation
        void follow(CompletableFuture<?> call) {
            call.whenComplete((result, failure) -> {
                if (failure == null) {
                    succeeded((T) result);
                } else {
                    failed(failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure);
                }
            });
        }

        private void succeeded(T result) {
            if (ended.compareAndSet(false, true)) {
                complete(result, null);
            }
        }

        private void failed(Throwable failure) {
            boolean inTime = System.nanoTime() - since < giveUpAfter.toNanos();
            if (failure instanceof DelayQueueException && running && inTime) {
                logFailure(failure);
                Executor later = CompletableFuture.delayedExecutor(nextDelay.toNanos(), TimeUnit.NANOSECONDS);
                nextDelay = nextDelay.compareTo(MAX_RETRY_DELAY) < 0 ? nextDelay.multipliedBy(2) : MAX_RETRY_DELAY;
                later.execute(this::attempt);
            } else if (ended.compareAndSet(false, true)) {
                LostOperations.log(
                        log, "given up after the commit of their transaction (" + failure + ")", List.of(operation));
                complete(null, failure);
            }
        }

        private void complete(@Nullable T result, @Nullable Throwable failure) {
            waiting.remove(this);
            addBytes(operation, -operation.bytes());
            if (failure != null) {
                operation.answer().completeExceptionally(failure);
            } else {
                warnOfDuplicate(result);
                operation.answer().complete(result);
            }
            lastOfMessage.remove(operation.message(), this);
            done.complete(null);
        }

        private void warnOfDuplicate(@Nullable T result) {
            if (result instanceof ScheduleResult scheduled
                    && scheduled.outcome() == ScheduleOutcome.REJECTED_DUPLICATE) {
                log.warn(
                        "Message '{}' to topic '{}' was not scheduled after commit: the topic has a message with this id",
                        operation.id(),
                        operation.topic());
            }
        }
    }
}
