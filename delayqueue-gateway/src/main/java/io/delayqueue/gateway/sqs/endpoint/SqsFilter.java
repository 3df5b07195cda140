package io.delayqueue.gateway.sqs.endpoint;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.sqs.action.SqsCall;
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
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers requests of SQS clients; all others go on. A filter, not a controller: signatures cover the body as it came, and other
 * filters read the body of a form.
 */
public final class SqsFilter extends HttpFilter {

    private static final long serialVersionUID = 1L;

    private static final long LONGEST_WAIT_MILLIS = 20_000;

    private final transient SqsPaths paths;
    private final transient SqsCallers callers;
    private final transient SqsActions actions;
    private final int maxBody;
    private final long extraWaitMillis;
    private final transient JsonProtocol json = new JsonProtocol(new JsonMapper());
    private final transient QueryProtocol query = new QueryProtocol();

    /**
     * A filter.
     *
     * @param maxBody largest body in bytes
     * @param extraWaitMillis time beyond a client's wait after which a request without an answer from the queue fails
     */
    public SqsFilter(SqsPaths paths, SqsCallers callers, SqsActions actions, int maxBody, long extraWaitMillis) {
        this.paths = paths;
        this.callers = callers;
        this.actions = actions;
        this.maxBody = maxBody;
        this.extraWaitMillis = extraWaitMillis;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!paths.match(request)) {
            chain.doFilter(request, response);
            return;
        }
        SqsProtocol protocol = SqsPaths.isJson(request) ? json : query;
        SqsExchange exchange =
                new SqsExchange(request, response, protocol, UUID.randomUUID().toString());
        try {
            answer(request, exchange);
        } catch (RuntimeException e) {
            exchange.fail(SqsErrors.of(e));
        }
    }

    private void answer(HttpServletRequest request, SqsExchange exchange) throws IOException {
        callers.checkHead(signed(request, new byte[0]));
        byte[] body = request.getInputStream().readNBytes(maxBody + 1);
        if (body.length > maxBody) {
            throw new SqsException(
                    SqsError.INVALID_PARAMETER_VALUE, "The request has more than " + maxBody + " bytes.");
        }
        Caller caller = callers.of(signed(request, body));
        SqsRequest read = exchange.protocol() == json
                ? json.read(request.getHeader("X-Amz-Target"), body)
                : query.read(request.getQueryString(), body);
        String queue = queue(request, read);
        long timeoutMillis = extraWaitMillis;
        if (read.action().equals("ReceiveMessage")) {
            Queue from = actions.queue(queue);
            if (!from.dead()) {
                SqsCall call = new SqsCall(caller, from.topic(), read.parameters());
                exchange.receive(actions, call, extraWaitMillis);
                return;
            }
            timeoutMillis += LONGEST_WAIT_MILLIS;
        }
        CompletableFuture<ObjectNode> result = actions.perform(read, caller, queue, paths.queues(request));
        if (result == null) {
            throw new SqsException(SqsError.INVALID_ACTION, "The action " + read.action() + " is not valid.");
        }
        exchange.answer(read.action(), result, timeoutMillis);
    }

    private @Nullable String queue(HttpServletRequest request, SqsRequest read) {
        String url = read.parameters().text("QueueUrl");
        if (url == null) {
            return paths.queue(request);
        }
        String end = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
        return end.substring(end.lastIndexOf('/') + 1);
    }

    private static SignedRequest signed(HttpServletRequest request, byte[] body) {
        Map<String, List<String>> headers = new HashMap<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            headers.put(name.toLowerCase(Locale.ROOT), Collections.list(request.getHeaders(name)));
        }
        return new SignedRequest(request.getMethod(), request.getRequestURI(), request.getQueryString(), headers, body);
    }
}
