package io.delayqueue.gateway.callback;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** A server that callbacks are sent to. Records requests before it answers them. */
final class Receiver implements AutoCloseable {

    /** An answer that never comes. */
    static final Reply SILENCE = new Reply(0, Map.of());

    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final HttpServer server;
    private volatile Function<Request, Reply> answers = request -> new Reply(204, Map.of());

    /** A request. Names of its headers are lower-case. */
    record Request(String host, String method, String path, Map<String, String> headers, byte[] body) {

        String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    record Reply(int status, Map<String, String> headers) {

        static Reply of(int status) {
            return new Reply(status, Map.of());
        }
    }

    Receiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Requests in the order of their coming. */
    List<Request> requests() {
        return requests;
    }

    long requestsOf(String host) {
        return requests.stream().filter(request -> request.host.equals(host)).count();
    }

    /** From now on requests are answered so. */
    void answer(Function<Request, Reply> answers) {
        this.answers = answers;
    }

    private void answer(HttpExchange exchange) throws IOException {
        Map<String, String> headers = new java.util.TreeMap<>();
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name.toLowerCase(java.util.Locale.ROOT), values.get(0)));
        Request request = new Request(
                headers.getOrDefault("host", "").replaceAll(":.*", ""),
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                headers,
                exchange.getRequestBody().readAllBytes());
        requests.add(request);
        Reply reply = answers.apply(request);
        if (reply == SILENCE) {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return;
        }
        reply.headers.forEach(exchange.getResponseHeaders()::add);
        exchange.sendResponseHeaders(reply.status, -1);
        exchange.close();
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
