package io.delayqueue.gateway.sqs.endpoint;

import io.delayqueue.gateway.claim.AnsweredMessages;
import io.delayqueue.gateway.sqs.action.Delivery;
import io.delayqueue.gateway.sqs.protocol.SqsAnswer;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.protocol.SqsProtocol;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** One request and its answer, which is written once, by threads of the container. */
final class SqsExchange {

    private static final Logger log = LoggerFactory.getLogger(SqsExchange.class);

    /** A receive that is answered as quickly did not wait: its client was there a moment ago. */
    private static final long AT_ONCE_NANOS = Duration.ofMillis(50).toNanos();

    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final SqsProtocol protocol;
    private final String requestId;
    private final AnswerWriter writer;
    private final AtomicBoolean answered = new AtomicBoolean();

    /** Null once the request has ended. */
    private final AtomicReference<@Nullable Runnable> atEnd = new AtomicReference<>(() -> {});

    private final long begunNanos = System.nanoTime();
    private volatile @Nullable AsyncContext context;

    SqsExchange(
            HttpServletRequest request,
            HttpServletResponse response,
            SqsProtocol protocol,
            String requestId,
            AnswerWriter writer) {
        this.request = request;
        this.response = response;
        this.protocol = protocol;
        this.requestId = requestId;
        this.writer = writer;
    }

    /** Whether the request waits without a thread. */
    boolean isAsync() {
        return context != null;
    }

    /** Answers, at once if the request is not asynchronous. */
    void fail(SqsException error) {
        answer(protocol.error(error, requestId), null);
    }

    /** Answers a request whose body has not come wholly: the connection ends, and nobody waits for the rest. */
    void failUnread(SqsException error, RequestBody body) {
        startAsync(0);
        body.abandon();
        failAndClose(error);
    }

    /** The client is gone: the container ends the request. */
    void giveUp() {
        answered.set(true);
    }

    /** Answers, and ends the connection: what would come next on it is the rest of this request. */
    void failAndClose(SqsException error) {
        response.setHeader("Connection", "close");
        fail(error);
    }

    /** Answers when the result is there. */
    void answer(String action, CompletableFuture<ObjectNode> result, long timeoutMillis) {
        if (!result.isDone()) {
            startAsync(timeoutMillis);
            addAtEnd(() -> result.cancel(false));
        }
        result.whenComplete((value, failure) -> answer(
                () -> failure == null
                        ? protocol.result(action, value, requestId)
                        : protocol.error(SqsErrors.of(failure), requestId),
                null));
    }

    /**
     * Answers with messages when they are there. They are confirmed once the answer is written, and released if it can't be.
     *
     * @param cancel ends the wait
     */
    void deliver(CompletableFuture<? extends Delivery> messages, Runnable cancel, long timeoutMillis) {
        startAsync(timeoutMillis);
        addAtEnd(() -> {
            cancel.run();
            messages.whenComplete((delivery, failure) -> release(delivery));
        });
        messages.whenComplete((delivery, failure) -> answer(
                () -> failure == null
                        ? protocol.result("ReceiveMessage", delivery.result(), requestId)
                        : protocol.error(SqsErrors.of(failure), requestId),
                delivery));
    }

    /** Begins a wait without a thread, unless it has begun. */
    AsyncContext startAsync(long timeoutMillis) {
        AsyncContext begun = context;
        if (begun != null) {
            return begun;
        }
        begun = request.startAsync(request, response);
        begun.setTimeout(timeoutMillis);
        begun.addListener(new AsyncListener() {
            @Override
            public void onComplete(AsyncEvent event) {
                end();
            }

            @Override
            public void onTimeout(AsyncEvent event) {
                // on this thread: the container starts no other one now
                if (answered.compareAndSet(false, true)) {
                    write(() -> protocol.error(SqsErrors.late(), requestId));
                    event.getAsyncContext().complete();
                }
            }

            @Override
            public void onError(AsyncEvent event) {
                end();
                // or the container would have an error page made for a client that is gone
                complete(event.getAsyncContext());
            }

            @Override
            public void onStartAsync(AsyncEvent event) {}
        });
        context = begun;
        return begun;
    }

    /** Goes on with an asynchronous request on a thread of the container. */
    void resume(Runnable task) {
        AsyncContext waiting = context;
        if (waiting == null) {
            task.run();
            return;
        }
        try {
            waiting.start(task);
        } catch (RuntimeException e) {
            // the connection failed meanwhile, or the application stops: the container ends the request
            log.debug("The container takes no task", e);
        }
    }

    /** Has this done at the end of an asynchronous request, answered or not. */
    void addAtEnd(Runnable task) {
        Runnable former = atEnd.getAndUpdate(tasks -> tasks == null
                ? null
                : () -> {
                    tasks.run();
                    task.run();
                });
        if (former == null) {
            task.run();
        }
    }

    private void end() {
        answered.set(true);
        Runnable tasks = atEnd.getAndSet(null);
        if (tasks != null) {
            tasks.run();
        }
    }

    private void answer(SqsAnswer answer, @Nullable Delivery delivery) {
        answer(() -> answer, delivery);
    }

    /** An answer that can't be made is an error, and never a request that waits for ever. */
    private void answer(Supplier<SqsAnswer> making, @Nullable Delivery delivery) {
        if (!answered.compareAndSet(false, true)) {
            release(delivery);
            return;
        }
        AsyncContext waiting = context;
        if (waiting == null) {
            // a delivery has an asynchronous request
            write(making);
            return;
        }
        AtomicReference<@Nullable Delivery> unbegun = new AtomicReference<>(delivery);
        // messages whose answer waits for a thread of the container go to another client before their lease ends: no
        // attempt is counted
        Runnable begins = delivery == null || delivery.isEmpty()
                ? () -> {}
                : writer.whenLate(() -> release(unbegun.getAndSet(null)));
        try {
            // the queue's own threads make no answers
            waiting.start(() -> {
                begins.run();
                Delivery begun = unbegun.getAndSet(null);
                boolean released = delivery != null && begun == null;
                write(released ? this::noMessages : making, begun, waiting);
            });
        } catch (RuntimeException e) {
            // the connection failed meanwhile, or the application stops: the container ends the request
            log.debug("The container takes no answer", e);
            begins.run();
            release(unbegun.getAndSet(null));
        }
    }

    private SqsAnswer noMessages() {
        return protocol.result("ReceiveMessage", JsonNodeFactory.instance.objectNode(), requestId);
    }

    private static void complete(AsyncContext waiting) {
        try {
            waiting.complete();
        } catch (IllegalStateException e) {
            log.debug("The container has ended the request, since its client went away", e);
        }
    }

    private void write(Supplier<SqsAnswer> making) {
        SqsAnswer answer;
        try {
            answer = making.get();
        } catch (RuntimeException e) {
            answer = protocol.error(SqsErrors.of(e), requestId);
        }
        try {
            writer.write(answer, response);
        } catch (IOException | RuntimeException e) {
            log.debug("A client went away before its answer", e);
        }
    }

    private void write(Supplier<SqsAnswer> making, @Nullable Delivery delivery, AsyncContext waiting) {
        SqsAnswer answer;
        AnsweredMessages messages = delivery == null ? AnsweredMessages.none() : delivery;
        try {
            answer = making.get();
        } catch (RuntimeException e) {
            messages.release();
            messages = AnsweredMessages.none();
            answer = protocol.error(SqsErrors.of(e), requestId);
        }
        boolean waited = delivery != null && System.nanoTime() - begunNanos > AT_ONCE_NANOS;
        try {
            writer.write(answer, response, waiting, messages, waited);
        } catch (IOException | RuntimeException e) {
            log.debug("A client went away before its answer", e);
            messages.release();
            complete(waiting);
        }
    }

    private static void release(@Nullable Delivery delivery) {
        if (delivery != null) {
            delivery.release();
        }
    }
}
