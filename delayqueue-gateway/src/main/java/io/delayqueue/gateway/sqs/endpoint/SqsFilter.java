package io.delayqueue.gateway.sqs.endpoint;

import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.log.RareWarnings;
import io.delayqueue.gateway.security.ByteBudget;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.security.RefusedRequests;
import io.delayqueue.gateway.sqs.action.Delivery;
import io.delayqueue.gateway.sqs.action.ReceiveMessage;
import io.delayqueue.gateway.sqs.action.SqsCall;
import io.delayqueue.gateway.sqs.protocol.CountedErrors;
import io.delayqueue.gateway.sqs.protocol.JsonProtocol;
import io.delayqueue.gateway.sqs.protocol.QueryProtocol;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.protocol.SqsProtocol;
import io.delayqueue.gateway.sqs.protocol.SqsRequest;
import io.delayqueue.gateway.sqs.queue.Queue;
import io.delayqueue.gateway.sqs.signature.SignedRequest;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers requests of SQS clients; all others go on. A filter, not a controller: signatures cover the body as it came, and other
 * filters read the body of a form.
 */
public final class SqsFilter extends HttpFilter {

    private static final long serialVersionUID = 1L;

    private static final long LONGEST_WAIT_MILLIS = 20_000;

    /** Connections whose body comes in pieces, at once: a large body does so, too. */
    static final int MAX_SLOW_BODIES = 1_000;

    /** Of requests that can't be one of a caller. */
    private static final Caller NOBODY = new Caller("", (right, topic) -> false);

    private static final byte[] NO_BODY = {};

    private final transient SqsPaths paths;
    private final transient SqsCallers callers;
    private final transient SqsActions actions;
    private final transient RequestLimits limits;
    private final transient RefusedRequests refusedRequests;
    private final transient RareWarnings failures =
            new RareWarnings(LoggerFactory.getLogger(SqsFilter.class), System::nanoTime);
    private final transient AnswerWriter writer;
    private final transient ByteBudget bodies;
    private final transient Semaphore slowBodies = new Semaphore(MAX_SLOW_BODIES);
    private final transient CallerShares shares = new CallerShares(MAX_SLOW_BODIES);
    private final transient JsonProtocol json = new JsonProtocol(new JsonMapper());
    private final transient QueryProtocol query = new QueryProtocol();

    /** A filter. */
    public SqsFilter(
            SqsPaths paths,
            SqsCallers callers,
            SqsActions actions,
            RequestLimits limits,
            RefusedRequests refusedRequests) {
        this.paths = paths;
        this.callers = callers;
        this.actions = actions;
        this.limits = limits;
        this.refusedRequests = refusedRequests;
        this.writer = new AnswerWriter(
                limits.answerTimeout(),
                actions.consumers().deliveryLease(),
                actions.consumers().answers());
        this.bodies = new ByteBudget(limits.maxRequestMemory());
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!paths.match(request)) {
            chain.doFilter(request, response);
            return;
        }
        SqsProtocol protocol = SqsPaths.isJson(request) ? json : query;
        SqsExchange exchange = new SqsExchange(
                request,
                response,
                new CountedErrors(protocol, refusedRequests, failures),
                UUID.randomUUID().toString(),
                writer);
        SignedRequest head = head(request);
        @Nullable SqsException refused = null;
        Caller claimed = NOBODY;
        try {
            claimed = callers.claimed(head);
        } catch (RuntimeException e) {
            refused = SqsErrors.of(e);
        }
        RequestBody body = new RequestBody(request, limits.maxBody(), claimed, bodies);
        try {
            read(new Incoming(request, head, claimed, body, exchange), refused);
        } finally {
            if (exchange.isAsync()) {
                exchange.addAtEnd(body::end);
            } else {
                body.end();
            }
        }
    }

    /**
     * A request whose body is being read.
     *
     * @param head without its body
     * @param claimed the caller that it names
     */
    private record Incoming(
            HttpServletRequest request, SignedRequest head, Caller claimed, RequestBody body, SqsExchange exchange) {}

    private void read(Incoming incoming, @Nullable SqsException known) throws IOException {
        @Nullable SqsException refused = known;
        try {
            // also of a request that is refused: then its connection can be kept
            incoming.body.readAvailable();
        } catch (SqsException e) {
            refused = refused == null ? e : refused;
        }
        if (incoming.body.isComplete()) {
            if (refused == null) {
                answer(incoming);
            } else {
                incoming.exchange.fail(refused);
            }
        } else if (refused == null) {
            readRest(incoming);
        } else {
            incoming.exchange.failUnread(refused, incoming.body);
        }
    }

    /** A slow body holds no thread, but one of a limited number of connections, half of which one caller may have. */
    private void readRest(Incoming incoming) {
        SqsExchange exchange = incoming.exchange;
        RequestBody body = incoming.body;
        Caller claimed = incoming.claimed;
        if (!shares.tryBegin(claimed)) {
            exchange.failUnread(SqsErrors.unavailable(), body);
            return;
        }
        if (!slowBodies.tryAcquire()) {
            shares.end(claimed);
            exchange.failUnread(SqsErrors.unavailable(), body);
            return;
        }
        exchange.startAsync(limits.bodyTimeout().toMillis() + LONGEST_WAIT_MILLIS + limits.extraWaitMillis());
        exchange.addAtEnd(body::end);
        body.readRest()
                .orTimeout(limits.bodyTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((whole, failure) -> {
                    slowBodies.release();
                    shares.end(claimed);
                    if (failure == null) {
                        answer(incoming);
                    } else if (failure instanceof SqsException e) {
                        exchange.failAndClose(e);
                    } else if (failure instanceof TimeoutException) {
                        exchange.failAndClose(tooSlow());
                    } else {
                        exchange.giveUp();
                    }
                });
    }

    private SqsException tooSlow() {
        return new SqsException(
                SqsError.REQUEST_TIMEOUT,
                "The body of a request must come within " + limits.bodyTimeout().toMillis() + " ms.");
    }

    private void answer(Incoming incoming) {
        try {
            tryAnswer(incoming.request, incoming.head.withBody(incoming.body.bytes()), incoming.exchange);
        } catch (RuntimeException e) {
            incoming.exchange.fail(SqsErrors.of(e));
        }
    }

    private void tryAnswer(HttpServletRequest request, SignedRequest signed, SqsExchange exchange) {
        Caller caller = callers.of(signed);
        byte[] body = signed.body();
        SqsRequest read = SqsPaths.isJson(request)
                ? json.read(request.getHeader("X-Amz-Target"), body)
                : query.read(request.getQueryString(), body);
        String queue = queue(request, read);
        if (actions.isOnMessages(read.action())) {
            answerOnMessages(exchange, caller, read, actions.lookups().find(caller, queue));
            return;
        }
        CompletableFuture<ObjectNode> result = actions.perform(read, caller, queue, paths.queues(request));
        if (result == null) {
            throw new SqsException(SqsError.INVALID_ACTION, "The action " + read.action() + " is not valid.");
        }
        // the queue ends a wait itself, and a journal a little later: this is for the case that they do not
        exchange.answer(read.action(), result, LONGEST_WAIT_MILLIS + limits.extraWaitMillis());
    }

    /** At once if the queue is known. Otherwise the request waits for it without a thread. */
    private void answerOnMessages(
            SqsExchange exchange, Caller caller, SqsRequest read, CompletableFuture<Queue> lookup) {
        boolean isFound = lookup.isDone();
        if (!isFound) {
            exchange.startAsync(LONGEST_WAIT_MILLIS + 2 * limits.extraWaitMillis());
        }
        lookup.whenComplete((queue, failure) -> {
            if (failure != null) {
                exchange.fail(SqsErrors.of(failure));
            } else if (isFound) {
                answer(exchange, caller, read, queue);
            } else {
                exchange.resume(() -> answer(exchange, caller, read, queue));
            }
        });
    }

    private void answer(SqsExchange exchange, Caller caller, SqsRequest read, Queue queue) {
        try {
            if (read.action().equals(SqsActions.RECEIVE)) {
                receive(exchange, queue, caller, read);
            } else {
                exchange.answer(
                        read.action(),
                        actions.perform(read, caller, queue),
                        LONGEST_WAIT_MILLIS + limits.extraWaitMillis());
            }
        } catch (RuntimeException e) {
            exchange.fail(SqsErrors.of(e));
        }
    }

    private void receive(SqsExchange exchange, Queue from, Caller caller, SqsRequest read) {
        SqsCall call = new SqsCall(caller, from.topic(), read.parameters());
        if (from.dead()) {
            CompletableFuture<Delivery> messages = actions.deadReceives().receive(call);
            exchange.deliver(messages, () -> messages.cancel(false), LONGEST_WAIT_MILLIS + limits.extraWaitMillis());
            return;
        }
        ReceiveMessage.Receive receive = actions.receive().read(call);
        CompletableFuture<List<PulledMessage>> claimed = actions.receive().claim(receive);
        exchange.deliver(
                claimed.thenApply(messages -> actions.receive().delivery(receive, messages)),
                () -> claimed.cancel(false),
                receive.longestWait().toMillis() + limits.extraWaitMillis());
    }

    private @Nullable String queue(HttpServletRequest request, SqsRequest read) {
        String url = read.parameters().text("QueueUrl");
        if (url == null) {
            return paths.queue(request);
        }
        String end = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
        return end.substring(end.lastIndexOf('/') + 1);
    }

    private static SignedRequest head(HttpServletRequest request) {
        Map<String, List<String>> headers = new HashMap<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            headers.put(name.toLowerCase(Locale.ROOT), Collections.list(request.getHeaders(name)));
        }
        return new SignedRequest(
                request.getMethod(), request.getRequestURI(), request.getQueryString(), headers, NO_BODY);
    }
}
