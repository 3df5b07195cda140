package io.delayqueue.benchmarks.gateway;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.benchmarks.peers.elasticmq.ElasticMqServer;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Prints how many messages a second each server takes and hands out, and how soon a waiting client has a message. The figures are those of
 * each round, then medians of {@code rounds} rounds, 3 by default, in which the order of the servers alternates. A round that does not
 * count comes first: what is measured first would pay for the warm-up of servers and clients. Property {@code seconds} is the length of
 * each part, 3 by default.
 */
public final class GatewayBench {

    private static final String BODY = "x".repeat(100);
    private static final int SINGLE = 1;
    private static final int BATCH = 10;

    private final double seconds = Double.parseDouble(System.getProperty("seconds", "3"));
    private final int rounds = Integer.parseInt(System.getProperty("rounds", "3"));
    private final Map<String, List<Load>> loads = new LinkedHashMap<>();
    private final @Nullable Path output;
    private int round;

    private GatewayBench(@Nullable Path output) {
        this.output = output;
    }

    /** Argument: a file for the output, which is printed too. It has each line as soon as that is known. */
    public static void main(String[] args) throws Exception {
        GatewayBench bench = new GatewayBench(args.length > 0 ? Path.of(args[0]) : null);
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            bench.run(redis);
        }
        System.exit(0);
    }

    private void run(EmbeddedRedis redis) throws Exception {
        int gatewayPort = freePort();
        int elasticPort = freePort();
        Map<String, URI> servers = new LinkedHashMap<>();
        servers.put("delayqueue", URI.create("http://127.0.0.1:" + gatewayPort));
        servers.put("ElasticMQ", URI.create("http://127.0.0.1:" + elasticPort));
        Process gateway = start(GatewayServer.class, String.valueOf(gatewayPort), redis.uri());
        Process elastic = start(ElasticMqServer.class, String.valueOf(elasticPort));
        try {
            await(gatewayPort);
            await(elasticPort);
            for (round = 0; round <= rounds; round++) {
                round(servers, redis.uri(), round % 2 == 1);
                if (round == 0) {
                    loads.clear();
                }
            }
            for (Map.Entry<String, List<Load>> results : loads.entrySet()) {
                print("median    " + results.getKey() + "  " + Load.median(results.getValue()));
            }
            for (Map.Entry<String, URI> server : servers.entrySet()) {
                latency(server.getKey(), server.getValue());
            }
        } finally {
            gateway.destroy();
            elastic.destroy();
            gateway.waitFor(30, TimeUnit.SECONDS);
            elastic.waitFor(30, TimeUnit.SECONDS);
        }
    }

    private void round(Map<String, URI> servers, String redis, boolean inOrder) throws Exception {
        List<String> order = new ArrayList<>(servers.keySet());
        if (!inOrder) {
            Collections.reverse(order);
        }
        for (String client : List.of("json", "query", "sdk")) {
            for (int count : new int[] {SINGLE, BATCH}) {
                for (String server : order) {
                    URI uri = Objects.requireNonNull(servers.get(server));
                    String queue = "bench-" + client;
                    new SdkClient(uri, queue).close();
                    throughput(server, client, () -> client(client, uri, queue), count);
                }
            }
        }
        URI http = Objects.requireNonNull(servers.get("delayqueue"));
        throughput("delayqueue", "http", () -> new HttpApiClient(http, "bench-http"), SINGLE);
        throughput("delayqueue", "http", () -> new HttpApiClient(http, "bench-http"), BATCH);
        inJava(redis);
    }

    private void inJava(String uri) throws Exception {
        RedisClient redis = RedisClient.create(uri);
        try (DelayQueueClient client = DelayQueueClient.create(redis, DelayQueueOptions.defaults());
                PullConsumer consumer = client.pullConsumer("bench-java", PullOptions.defaults())) {
            JavaClient shared = new JavaClient(client, consumer);
            throughput("delayqueue", "java", () -> shared, SINGLE);
            throughput("delayqueue", "java", () -> shared, BATCH);
        } finally {
            redis.shutdown();
        }
    }

    private static QueueClient client(String name, URI server, String queue) {
        return name.equals("sdk") ? new SdkClient(server, queue) : new PlainClient(server, queue, name.equals("json"));
    }

    /** As many messages are received as were sent, so that both servers hold as many. */
    private void throughput(String server, String name, Supplier<QueueClient> clients, int count) throws Exception {
        Load send = Load.run(clients, seconds, Long.MAX_VALUE, client -> {
            client.send(count, BODY);
            return count;
        });
        long sent = Math.round(send.perSecond() * seconds);
        Load receive = Load.run(clients, seconds, sent * 9 / 10, client -> client.receiveAndDelete(count, 0));
        // the rest, until no client finds any
        Load.run(clients, 60, 16, client -> client.receiveAndDelete(BATCH, 0) > 0 ? 0 : 1);
        add(String.format("%-10s %-5s send %-2d          ", server, name, count), send);
        add(String.format("%-10s %-5s receive+delete %-2d", server, name, count), receive);
    }

    private void add(String name, Load load) throws IOException {
        print((round == 0 ? "warm-up   " : "round %-4d".formatted(round)) + name + "  " + load);
        loads.computeIfAbsent(name, first -> new ArrayList<>()).add(load);
    }

    /** A message is sent every few milliseconds, and another client waits for it: from the call of send until it is deleted. */
    private void latency(String server, URI uri) throws IOException {
        new SdkClient(uri, "latency").close();
        Histogram times = new Histogram(TimeUnit.MINUTES.toMicros(1), 3);
        try (QueueClient sender = new PlainClient(uri, "latency", true);
                QueueClient receiver = new PlainClient(uri, "latency", true)) {
            for (int i = -200; i < 1_000; i++) {
                long[] received = new long[1];
                Thread waiting = new Thread(() -> {
                    while (receiver.receiveAndDelete(SINGLE, 20) == 0) {
                        Thread.onSpinWait();
                    }
                    received[0] = System.nanoTime();
                });
                waiting.start();
                LockSupport.parkNanos(5_000_000);
                long begin = System.nanoTime();
                sender.send(SINGLE, BODY);
                waiting.join();
                if (i >= 0) {
                    times.recordValue((received[0] - begin) / 1_000);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        print(String.format(
                "%-10s json  send, receive by a waiting client, delete: p50 %.2f ms, p99 %.2f ms",
                server, times.getValueAtPercentile(50) / 1e3, times.getValueAtPercentile(99) / 1e3));
    }

    private void print(String line) throws IOException {
        System.out.println(line);
        if (output != null) {
            Files.writeString(output, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static Process start(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        Files.createTempFile(main.getSimpleName(), ".log").toFile())
                .start();
    }

    private static void await(int port) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (System.nanoTime() < end) {
            try (Socket socket = new Socket("127.0.0.1", port)) {
                return;
            } catch (IOException e) {
                Thread.sleep(100);
            }
        }
        throw new IllegalStateException("no server at port " + port);
    }
}
