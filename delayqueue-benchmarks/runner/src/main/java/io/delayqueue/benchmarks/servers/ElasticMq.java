package io.delayqueue.benchmarks.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** An ElasticMQ in a JVM of its own. */
final class ElasticMq implements Server {

    private static final Pattern QUEUE = Pattern.compile("<QueueUrl>([^<]+)</QueueUrl>");

    private final int port;
    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();

    private ElasticMq(int port, Process process) {
        this.port = port;
        this.process = process;
    }

    static ElasticMq start(Servers.Launcher launcher) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Process process = launcher.launch(
                "peers/elasticmq",
                List.of("io.delayqueue.benchmarks.peers.elasticmq.ElasticMqServer", Integer.toString(port)));
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        ElasticMq server = new ElasticMq(port, process);
        for (int attempt = 0; process.isAlive() && attempt < 2_400; attempt++) {
            try {
                server.call("Action=ListQueues");
                return server;
            } catch (UncheckedIOException notYet) {
                Pause.millis(50);
            }
        }
        process.destroyForcibly();
        throw new IOException("it does not start");
    }

    private String call(String form) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address()))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build();
        try {
            return http.send(request, BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public String address() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public String description() {
        return "ElasticMQ, in memory, one server process";
    }

    @Override
    public void flush() {
        QUEUE.matcher(call("Action=ListQueues"))
                .results()
                .forEach(queue -> call(
                        "Action=DeleteQueue&QueueUrl=" + URLEncoder.encode(queue.group(1), StandardCharsets.UTF_8)));
    }

    /** It keeps nothing. */
    @Override
    public void keep(Durability durability) {
        flush();
    }

    @Override
    public Usage usage() {
        return ProcessUsage.ofTree(process.toHandle());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
