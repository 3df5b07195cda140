package io.delayqueue.gateway.sqs.endpoint;

import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.claim.ClaimDelivery;
import io.delayqueue.gateway.sqs.action.ReceiveMessage;
import io.delayqueue.gateway.sqs.action.SqsCall;
import io.delayqueue.gateway.sqs.protocol.SqsAnswer;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.protocol.SqsProtocol;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** One request and its answer, which is written once, by a thread of the container. */
final class SqsExchange {

    private static final Logger log = LoggerFactory.getLogger(SqsExchange.class);

    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final SqsProtocol protocol;
    private final String requestId;
    private final AtomicBoolean answered = new AtomicBoolean();

    SqsExchange(HttpServletRequest request, HttpServletResponse response, SqsProtocol protocol, String requestId) {
        this.request = request;
        this.response = response;
        this.protocol = protocol;
        this.requestId = requestId;
    }

    SqsProtocol protocol() {
        return protocol;
    }

    /** Answers at once. */
    void fail(SqsException error) throws IOException {
        write(protocol.error(error, requestId));
    }

    /** Answers when the result is there. */
    void answer(String action, CompletableFuture<ObjectNode> result, long timeoutMillis) throws IOException {
        if (result.isDone() && !result.isCompletedExceptionally()) {
            write(protocol.result(action, result.join(), requestId));
            return;
        }
        AsyncContext context = start(timeoutMillis, () -> result.cancel(false));
        result.whenComplete((value, failure) -> complete(
                context,
                failure == null
                        ? protocol.result(action, value, requestId)
                        : protocol.error(SqsErrors.of(failure), requestId),
                null));
    }

    /** Answers with messages, which are confirmed once the answer is written, and released if it can't be. */
    void receive(SqsActions actions, SqsCall call, long extraMillis) {
        ReceiveMessage.Receive receive = actions.receive().read(call);
        CompletableFuture<List<PulledMessage>> claimed = actions.receive().claim(receive);
        AtomicReference<@Nullable ClaimDelivery> begun = new AtomicReference<>();
        AsyncContext context = start(receive.longestWait().toMillis() + extraMillis, () -> {
            claimed.cancel(false);
            ClaimDelivery delivery = begun.get();
            if (delivery != null) {
                delivery.release();
            }
        });
        claimed.whenComplete((messages, failure) -> {
            if (failure != null) {
                complete(context, protocol.error(SqsErrors.of(failure), requestId), null);
                return;
            }
            ClaimDelivery delivery =
                    new ClaimDelivery(actions.consumers().of(call.topic()), messages, receive.visibility());
            begun.set(delivery);
            ObjectNode result = ReceiveMessage.result(receive, messages);
            complete(context, protocol.result("ReceiveMessage", result, requestId), delivery);
        });
    }

    /** Begins a wait without a thread. The end comes after an answer too. */
    private AsyncContext start(long timeoutMillis, Runnable end) {
        AsyncContext context = request.startAsync(request, response);
        context.setTimeout(timeoutMillis);
        context.addListener(new AsyncListener() {
            @Override
            public void onComplete(AsyncEvent event) {
                end.run();
            }

            @Override
            public void onTimeout(AsyncEvent event) throws IOException {
                if (answered.compareAndSet(false, true)) {
                    SqsException error = new SqsException(
                            SqsError.SERVICE_UNAVAILABLE, "The queue can't be reached now. Repeat the request.");
                    fail(error);
                    context.complete();
                }
            }

            @Override
            public void onError(AsyncEvent event) {
                end.run();
            }

            @Override
            public void onStartAsync(AsyncEvent event) {}
        });
        return context;
    }

    private void complete(AsyncContext context, SqsAnswer answer, @Nullable ClaimDelivery delivery) {
        if (!answered.compareAndSet(false, true)) {
            release(delivery);
            return;
        }
        try {
            // the queue's own threads don't wait for slow clients
            context.start(() -> writeAndComplete(context, answer, delivery));
        } catch (RuntimeException e) {
            release(delivery);
            throw e;
        }
    }

    private void writeAndComplete(AsyncContext context, SqsAnswer answer, @Nullable ClaimDelivery delivery) {
        try {
            write(answer);
            if (delivery != null) {
                delivery.confirm();
            }
        } catch (IOException | RuntimeException e) {
            log.debug("A client went away before its answer", e);
            release(delivery);
        } finally {
            context.complete();
        }
    }

    private static void release(@Nullable ClaimDelivery delivery) {
        if (delivery != null) {
            delivery.release();
        }
    }

    private void write(SqsAnswer answer) throws IOException {
        response.setStatus(answer.status());
        response.setContentType(answer.contentType());
        answer.headers().forEach(response::setHeader);
        response.setContentLength(answer.body().length);
        response.getOutputStream().write(answer.body());
        response.flushBuffer();
    }
}
