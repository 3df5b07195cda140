package io.delayqueue.gateway.callback;

import io.delayqueue.gateway.FutureFailures;
import java.net.UnknownHostException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.nio.AsyncRequestProducer;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityProducer;
import org.apache.hc.core5.http.nio.support.AsyncRequestBuilder;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests, each once: redirects are not followed, failures not repeated, cookies and proxies not used, whatever the system's
 * settings say. Connects to checked addresses only. No thread waits for a response. Thread-safe.
 */
final class CallbackClient implements AutoCloseable {

    private final CloseableHttpAsyncClient client;
    private final CallbackTimeouts timeouts;
    private final HostThreads threads = new HostThreads();

    /**
     * A client that runs until it is closed.
     *
     * @param connections connections at most
     * @param ssl trusts certificates; null for Java's own trust
     */
    CallbackClient(CheckedResolver resolver, CallbackTimeouts timeouts, int connections, @Nullable SSLContext ssl) {
        this.timeouts = timeouts;
        ClientTlsStrategyBuilder tls = ClientTlsStrategyBuilder.create();
        if (ssl != null) {
            tls.setSslContext(ssl);
        }
        this.client = HttpAsyncClients.custom()
                .setConnectionManager(PoolingAsyncClientConnectionManagerBuilder.create()
                        .setDnsResolver(resolver)
                        .setTlsStrategy(tls.buildAsync())
                        // as many connections as messages in flight: none waits for another one's
                        .setMaxConnPerRoute(connections)
                        .setMaxConnTotal(connections)
                        .setDefaultConnectionConfig(ConnectionConfig.custom()
                                .setConnectTimeout(Timeout.of(timeouts.connect()))
                                // or a host that moved was called at its old address for as long as it is called often
                                .setTimeToLive(TimeValue.of(timeouts.connectionLife()))
                                .build())
                        .build())
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setResponseTimeout(Timeout.of(timeouts.response()))
                        .setConnectionRequestTimeout(Timeout.of(timeouts.total()))
                        .setRedirectsEnabled(false)
                        .setAuthenticationEnabled(false)
                        .build())
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableAuthCaching()
                .disableContentCompression()
                .build();
    }

    /** Begins to send requests. */
    void start() {
        client.start();
    }

    /**
     * Sends a request. Fails if no response came in time; a response whose body does not end counts nevertheless. Cancelling the future
     * ends the call.
     */
    CompletableFuture<CallbackResponse> send(CallbackRequest request) {
        HeadOfResponse head = new HeadOfResponse();
        CompletableFuture<CallbackResponse> answer = new CompletableFuture<>();
        CompletableFuture<Future<?>> begun = new CompletableFuture<>();
        threads.execute(request.url().getHost(), () -> begin(request, head, answer, begun));
        begun.orTimeout(timeouts.connect().toNanos(), TimeUnit.NANOSECONDS).whenComplete((call, error) -> {
            if (error instanceof TimeoutException) {
                answer.completeExceptionally(new UnknownHostException("the name servers gave no address of host '"
                        + request.url().getHost() + "' within " + timeouts.connect()));
            }
        });
        CompletableFuture<CallbackResponse> bounded = answer.orTimeout(
                        timeouts.total().toNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(e -> {
                    CallbackResponse response = head.head();
                    if (response != null) {
                        return response;
                    }
                    throw new CompletionException(FutureFailures.unwrap(e));
                });
        // an end by time leaves the exchange under way, or still to begin
        bounded.whenComplete((response, error) -> {
            if (!begun.completeExceptionally(new CancellationException("the call has ended"))) {
                begun.thenAccept(call -> call.cancel(true));
            }
        });
        return bounded;
    }

    /** May wait for a name server. */
    private void begin(
            CallbackRequest request,
            HeadOfResponse head,
            CompletableFuture<CallbackResponse> answer,
            CompletableFuture<Future<?>> begun) {
        if (begun.isDone()) {
            return;
        }
        try {
            Future<?> call = client.execute(producer(request), head, callback(head, answer));
            if (!begun.complete(call)) {
                call.cancel(true);
            }
        } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
        }
    }

    private static FutureCallback<CallbackResponse> callback(
            HeadOfResponse head, CompletableFuture<CallbackResponse> answer) {
        return new FutureCallback<>() {
            @Override
            public void completed(CallbackResponse response) {
                answer.complete(response);
            }

            @Override
            public void failed(Exception e) {
                CallbackResponse begun = head.head();
                if (begun != null) {
                    answer.complete(begun);
                } else {
                    answer.completeExceptionally(e);
                }
            }

            @Override
            public void cancelled() {
                failed(new CancellationException("the call was cancelled"));
            }
        };
    }

    private static AsyncRequestProducer producer(CallbackRequest request) {
        AsyncRequestBuilder builder =
                AsyncRequestBuilder.create(request.method()).setUri(request.url());
        request.headers().forEach(builder::addHeader);
        // the message's own header says what it is
        return builder.setEntity(new BasicAsyncEntityProducer(request.body(), null))
                .build();
    }

    @Override
    public void close() {
        threads.close();
        client.close(CloseMode.GRACEFUL);
    }
}
