package io.delayqueue.benchmarks.gateway;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.lettuce.core.RedisClient;
import java.io.IOException;
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
 * Prints how many messages a second each server takes and hands out, with the processor time of the server for each message, and how soon
 * a waiting client has a message. The figures are those of each round, then medians of {@code rounds} rounds, 3 by default, in which the
 * order of the servers alternates. {@code warmup} rounds, 3 by default, come first and don't count: what is measured first would pay for
 * the compiling of servers and clients. Property {@code seconds} is the length of each part, 3 by default. {@code clients}, {@code counts}
 * and {@code servers} choose what is run; {@code baseline} adds another work tree's gateway.
 */
public final class GatewayBench {

    private static final String BODY = "x".repeat(100);
    private static final int BATCH = 10;
    private static final String GATEWAY = "delayqueue";

    private final double seconds = Double.parseDouble(System.getProperty("seconds", "3"));
    private final int rounds = Integer.getInteger("rounds", 3);
    private final int warmUp = Integer.getInteger("warmup", 3);
    private final List<String> clients = list("clients", "json,query,sdk,http,java");
    private final List<Integer> counts =
            list("counts", "1,10").stream().map(Integer::valueOf).toList();
    private final Map<String, List<Load>> loads = new LinkedHashMap<>();
    private final @Nullable Path output;

    /** Negative, and zero, while it warms up. */
    private int round;

    private GatewayBench(@Nullable Path output) {
        this.output = output;
    }

    private static List<String> list(String property, String all) {
        return List.of(System.getProperty(property, all).split(","));
    }

    /** Argument: a file for the output, which is printed too. It has each line as soon as that is known. */
    public static void main(String[] args) throws Exception {
        List<MeasuredServer> servers = new ArrayList<>();
        try {
            List<String> chosen = list("servers", GATEWAY + ",ElasticMQ");
            if (chosen.contains(GATEWAY)) {
                servers.add(MeasuredServer.gateway(GATEWAY, null));
            }
            String baseline = System.getProperty("baseline");
            if (baseline != null) {
                servers.add(MeasuredServer.gateway("baseline", Path.of(baseline)));
            }
            if (chosen.contains("ElasticMQ")) {
                servers.add(MeasuredServer.elasticMq());
            }
            new GatewayBench(args.length > 0 ? Path.of(args[0]) : null).run(servers);
        } finally {
            servers.forEach(MeasuredServer::close);
        }
        System.exit(0);
    }

    private void run(List<MeasuredServer> servers) throws Exception {
        for (round = 1 - warmUp; round <= rounds; round++) {
            if (round == 1) {
                loads.clear();
            }
            List<MeasuredServer> order = new ArrayList<>(servers);
            if (round % 2 == 0) {
                Collections.reverse(order);
            }
            round(order);
        }
        for (Map.Entry<String, List<Load>> results : loads.entrySet()) {
            print("median    " + results.getKey() + "  " + Load.median(results.getValue()));
        }
        for (MeasuredServer server : servers) {
            latency(server.name(), server.uri());
        }
    }

    private void round(List<MeasuredServer> order) throws Exception {
        for (String client : clients) {
            for (int count : counts) {
                for (MeasuredServer server : order) {
                    measure(server, client, count);
                }
            }
        }
    }

    private void measure(MeasuredServer server, String client, int count) throws Exception {
        URI uri = server.uri();
        String queue = "bench-" + client;
        boolean isGateway = server.redis() != null;
        switch (client) {
            case "json", "query", "sdk" -> {
                new SdkClient(uri, queue).close();
                throughput(server, client, () -> sqs(client, uri, queue), count);
            }
            case "http" -> {
                if (isGateway) {
                    throughput(server, client, () -> new HttpApiClient(uri, queue), count);
                }
            }
            case "java" -> {
                if (server.name().equals(GATEWAY)) {
                    inJava(server, count);
                }
            }
            default -> throw new IllegalArgumentException("no client " + client);
        }
    }

    private void inJava(MeasuredServer server, int count) throws Exception {
        RedisClient redis =
                RedisClient.create(Objects.requireNonNull(server.redis()).uri());
        try (DelayQueueClient client = DelayQueueClient.create(redis, DelayQueueOptions.defaults());
                PullConsumer consumer = client.pullConsumer("bench-java", PullOptions.defaults())) {
            JavaClient shared = new JavaClient(client, consumer);
            throughput(server, "java", () -> shared, count);
        } finally {
            redis.shutdown();
        }
    }

    private static QueueClient sqs(String name, URI server, String queue) {
        return name.equals("sdk") ? new SdkClient(server, queue) : new PlainClient(server, queue, name.equals("json"));
    }

    /** As many messages are received as were sent, so that all servers hold as many. */
    private void throughput(MeasuredServer server, String name, Supplier<QueueClient> clients, int count)
            throws Exception {
        Supplier<Cpu> cpu = name.equals("java") ? server::cpuHere : server::cpu;
        Load send = Load.run(
                clients,
                seconds,
                Long.MAX_VALUE,
                client -> {
                    client.send(count, BODY);
                    return count;
                },
                cpu);
        long sent = Math.round(send.perSecond() * seconds);
        Load receive = Load.run(clients, seconds, sent * 9 / 10, client -> client.receiveAndDelete(count, 0), cpu);
        // the rest, until no client finds any
        Load.run(clients, 60, 16, client -> client.receiveAndDelete(BATCH, 0) > 0 ? 0 : 1, cpu);
        add(String.format("%-10s %-5s send %-2d          ", server.name(), name, count), send);
        add(String.format("%-10s %-5s receive+delete %-2d", server.name(), name, count), receive);
    }

    private void add(String name, Load load) throws IOException {
        print((round < 1 ? "warm-up   " : "round %-4d".formatted(round)) + name + "  " + load);
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
                    while (receiver.receiveAndDelete(1, 20) == 0) {
                        Thread.onSpinWait();
                    }
                    received[0] = System.nanoTime();
                });
                waiting.start();
                LockSupport.parkNanos(5_000_000);
                long begin = System.nanoTime();
                sender.send(1, BODY);
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
}
