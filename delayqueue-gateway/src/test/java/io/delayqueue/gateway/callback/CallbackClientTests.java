package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.DnsResolver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a server of this process, under a host name that only this client knows. */
class CallbackClientTests {

    private static final String HOST = "hook.example";
    private static final byte[] BODY = "{\"a\":\"ü\"}".getBytes(StandardCharsets.UTF_8);

    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final CountDownLatch testEnds = new CountDownLatch(1);
    private final AtomicLong endlessBytes = new AtomicLong();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private CallbackClient client;

    private record Seen(String method, String path, Map<String, List<String>> headers, byte[] body) {}

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.setExecutor(threads);
        server.createContext("/ok", exchange -> answer(exchange, 204));
        server.createContext("/moved", exchange -> {
            exchange.getResponseHeaders().add("Location", "/ok");
            answer(exchange, 302);
        });
        server.createContext("/busy", exchange -> {
            exchange.getResponseHeaders().add("Retry-After", "7");
            exchange.getResponseHeaders().add("DelayQueue-Retry", "no");
            answer(exchange, 503);
        });
        server.createContext("/silent", exchange -> awaitEnd());
        server.createContext("/endless", this::answerForEver);
        server.createContext("/slow", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(1);
            exchange.getResponseBody().flush();
            awaitEnd();
        });
        server.start();
        client = client(List.of(AddressRange.parse("127.0.0.1")), CallbackTimeouts.DEFAULTS);
    }

    @AfterEach
    void stop() {
        client.close();
        testEnds.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    @Test
    void aRequestArrivesAsItIs() throws Exception {
        assertThat(get(client.send(request("/ok?x=%20y"))).status()).isEqualTo(204);

        Seen request = seen.get(0);
        assertThat(request.method).isEqualTo("PUT");
        assertThat(request.path).isEqualTo("/ok?x=%20y");
        assertThat(request.headers)
                .containsEntry("Host", List.of(HOST + ":" + port()))
                .containsEntry("Content-type", List.of("application/json"))
                .containsEntry("X-tenant", List.of("4711"))
                .containsEntry("Content-length", List.of(String.valueOf(BODY.length)))
                .doesNotContainKeys("Accept-encoding", "Cookie", "Authorization");
        assertThat(request.body).isEqualTo(BODY);
    }

    @Test
    void redirectsAreNotFollowed() throws Exception {
        assertThat(get(client.send(request("/moved"))).status()).isEqualTo(302);
        assertThat(seen).hasSize(1);
    }

    @Test
    void theHeadersThatMatterAreRead() throws Exception {
        assertThat(get(client.send(request("/busy")))).isEqualTo(new CallbackResponse(503, "no", "7"));
        assertThat(seen).as("no automatic retry").hasSize(1);
    }

    @Test
    void aBodyWithoutEndIsNotReadToItsEnd() throws Exception {
        long begun = System.nanoTime();
        assertThat(get(client.send(request("/endless"))).status()).isEqualTo(200);

        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("not by the end of its time")
                .isLessThan(CallbackTimeouts.DEFAULTS.response());
        assertThat(endlessBytes).as("buffers of the system included").hasValueLessThan(64 << 20);
    }

    @Test
    void aBodyThatStopsMidwayDoesNotChangeTheStatus() throws Exception {
        // enough for the head
        quick(Duration.ofSeconds(3));

        assertThat(get(client.send(request("/slow"))).status()).isEqualTo(200);
    }

    @Test
    void aTargetThatDoesNotAnswerFailsInTime() {
        quick(Duration.ofMillis(300));

        assertThatThrownBy(() -> get(client.send(request("/silent"))))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfAny(IOException.class, TimeoutException.class);
    }

    /** Its system takes connections until its queue is full, and then answers nothing. */
    @Test
    void aTargetThatTakesNoConnectionFailsAfterTheConnectTimeout() throws Exception {
        client.close();
        // it bounds the begin of the call, too
        client = client(
                List.of(AddressRange.parse("127.0.0.1")),
                new CallbackTimeouts(
                        Duration.ofSeconds(5), Duration.ofMinutes(5), Duration.ofMinutes(5), Duration.ofMinutes(1)));
        List<Socket> taken = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            boolean isFull = false;
            for (int i = 0; i < 20 && !isFull; i++) {
                Socket socket = new Socket();
                taken.add(socket);
                try {
                    socket.connect(full.getLocalSocketAddress(), 500);
                } catch (SocketTimeoutException e) {
                    isFull = true;
                }
            }
            assertThat(isFull).as("the system refuses connections").isTrue();

            CompletableFuture<CallbackResponse> call = client.send(new CallbackRequest(
                    "POST", URI.create("http://" + HOST + ":" + full.getLocalPort() + "/"), Map.of(), BODY));
            assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(ConnectTimeoutException.class);
        } finally {
            for (Socket socket : taken) {
                socket.close();
            }
        }
    }

    /** Each byte of the head begins the response timeout anew. */
    @Test
    void aTargetThatAnswersByteByByteIsCutOffAfterTheTotalTime() throws Exception {
        client.close();
        client = client(
                List.of(AddressRange.parse("127.0.0.1")),
                new CallbackTimeouts(
                        Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofSeconds(4), Duration.ofMinutes(1)));
        try (ServerSocket dripping = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            dripping.setSoTimeout(30_000);
            CompletableFuture<CallbackResponse> call = client.send(new CallbackRequest(
                    "POST", URI.create("http://" + HOST + ":" + dripping.getLocalPort() + "/"), Map.of(), BODY));
            try (Socket connection = dripping.accept()) {
                assertThatThrownBy(() -> {
                            while (!call.isDone()) {
                                connection.getOutputStream().write('H');
                                LockSupport.parkNanos(50_000_000);
                            }
                            get(call);
                        })
                        .isInstanceOf(Exception.class);
                connection.setSoTimeout(30_000);
                // what it sent, and then the end: the exchange does not go on
                assertThatCode(() -> connection.getInputStream().readAllBytes())
                        .satisfiesAnyOf(
                                end -> assertThat(end).isNull(),
                                end -> assertThat(end).isInstanceOf(SocketException.class));
            }
            assertThat(call).isCompletedExceptionally();
        }
    }

    @Test
    void aConnectionIsNotUsedForLongerThanItsLifeTime() throws Exception {
        AtomicInteger resolved = new AtomicInteger();
        client.close();
        client = client(
                List.of(AddressRange.parse("127.0.0.1")),
                new CallbackTimeouts(
                        Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofSeconds(30), Duration.ofMillis(300)),
                resolved);
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            int before = resolved.get();
            get(client.send(request("/ok")));
            return resolved.get() == before;
        });
        int young = resolved.get();

        // it grows old
        LockSupport.parkNanos(Duration.ofMillis(400).toNanos());
        get(client.send(request("/ok")));
        assertThat(resolved).hasValueGreaterThan(young);
    }

    @Test
    void noConnectionIsMadeToARefusedAddress() {
        client.close();
        client = client(List.of(), CallbackTimeouts.DEFAULTS);

        for (String host : List.of(HOST, "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]")) {
            assertThatThrownBy(() -> get(client.send(request(host, "/ok"))))
                    .as(host)
                    .cause()
                    .isInstanceOf(RefusedAddressException.class);
        }
        assertThat(seen).isEmpty();
    }

    @Test
    void proxiesOfTheSystemAreNotUsed() throws Exception {
        String before = System.setProperty("http.proxyHost", "127.0.0.1");
        System.setProperty("http.proxyPort", "1");
        try {
            client.close();
            client = client(List.of(AddressRange.parse("127.0.0.1")), CallbackTimeouts.DEFAULTS);

            assertThat(get(client.send(request("/ok"))).status()).isEqualTo(204);
        } finally {
            if (before == null) {
                System.clearProperty("http.proxyHost");
            } else {
                System.setProperty("http.proxyHost", before);
            }
            System.clearProperty("http.proxyPort");
        }
    }

    private void quick(Duration response) {
        client.close();
        client = client(
                List.of(AddressRange.parse("127.0.0.1")),
                new CallbackTimeouts(Duration.ofSeconds(5), response, Duration.ofSeconds(10), Duration.ofMinutes(1)));
    }

    private static CallbackClient client(List<AddressRange> allowed, CallbackTimeouts timeouts) {
        return client(allowed, timeouts, new AtomicInteger());
    }

    private static CallbackClient client(
            List<AddressRange> allowed, CallbackTimeouts timeouts, AtomicInteger resolved) {
        CheckedResolver resolver = new CheckedResolver(new OneName(resolved), new RefusedRanges(allowed, List.of()));
        CallbackClient client = new CallbackClient(resolver, timeouts, 8, null);
        client.start();
        return client;
    }

    private CallbackRequest request(String path) {
        return request(HOST, path);
    }

    private CallbackRequest request(String host, String path) {
        return new CallbackRequest(
                "PUT",
                URI.create("http://" + host + ":" + port() + path),
                Map.of("content-type", "application/json", "x-tenant", "4711"),
                BODY);
    }

    private int port() {
        return server.getAddress().getPort();
    }

    private static CallbackResponse get(CompletableFuture<CallbackResponse> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    private void answer(HttpExchange exchange, int status) throws IOException {
        seen.add(new Seen(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                Map.copyOf(exchange.getRequestHeaders()),
                exchange.getRequestBody().readAllBytes()));
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    private void answerForEver(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream body = exchange.getResponseBody()) {
            while (true) {
                body.write(new byte[8192]);
                endlessBytes.addAndGet(8192);
            }
        }
    }

    private void awaitEnd() {
        try {
            testEnds.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private record OneName(AtomicInteger resolved) implements DnsResolver {

        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
            resolved.incrementAndGet();
            if (!host.equals(HOST)) {
                throw new UnknownHostException(host);
            }
            return new InetAddress[] {InetAddress.getByName("127.0.0.1")};
        }

        @Override
        public String resolveCanonicalHostname(String host) {
            return host;
        }
    }
}
