package io.delayqueue.testsupport.fleet;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.Delivery;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Schedules and consumes as an application does: a call that failed is repeated until it returns. Writes a flushed line for
 * each intention, answer and event ({@link Entry}). Reads commands from its input, and exits at its end.
 */
public final class Worker implements DelayQueueObserver {

    /** Line of its input that ends its producer. */
    public static final String STOP_PRODUCING = "stop-producing";

    /** Line of its input that makes it write an entry. */
    static final String MARK = "mark";

    private static final long BEFORE_REPETITION_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final byte[] PAYLOAD = "payload".getBytes(StandardCharsets.UTF_8);

    private final String name;
    private final RedisClock clock;
    private final DelayQueueClient queue;
    private final PrintStream out;
    private volatile boolean producing = true;

    private Worker(
            String name, RedisClock clock, PrintStream out, RedisClient client, DelayQueueOptions.Builder options) {
        this.name = name;
        this.clock = clock;
        this.out = out;
        this.queue = DelayQueueClient.create(client, options.observer(this).build());
    }

    /** Arguments: name, URI of Redis, URI of the proxy, command timeout and guard interval in ms. */
    public static void main(String[] args) throws IOException {
        RedisURI straight = RedisURI.create(args[1]);
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        // the first call loads classes, on a busy machine for seconds; later ones shall not wait for a server that is
        // away
        StatefulRedisConnection<String, String> connection =
                RedisClient.create(straight).connect();
        RedisClock clock = new RedisClock(
                connection.sync(),
                (begun, ended) -> print(out, new Entry(args[0], What.STALLED, "-", "-", 0, 0, begun, ended)));
        connection.setTimeout(Duration.ofMillis(500));
        Worker worker = new Worker(
                args[0],
                clock,
                out,
                RedisClient.create(args[2]),
                DelayQueueOptions.builder()
                        .commandTimeout(Duration.ofMillis(Long.parseLong(args[3])))
                        .guardInterval(Duration.ofMillis(Long.parseLong(args[4]))));
        worker.write(What.READY, "-", "-", System.currentTimeMillis());
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            worker.execute(line.split(" "));
        }
        Runtime.getRuntime().halt(0);
    }

    private void execute(String[] command) {
        switch (command[0]) {
            case "consume" ->
                consume(
                        command[1],
                        Duration.ofMillis(Long.parseLong(command[2])),
                        Integer.parseInt(command[3]),
                        Long.parseLong(command[4]));
            case "produce" -> {
                Load load = new Load(
                        command[1],
                        Integer.parseInt(command[2]),
                        Integer.parseInt(command[3]),
                        Integer.parseInt(command[4]));
                Thread thread = new Thread(() -> produce(load), "producer");
                thread.setDaemon(true);
                thread.start();
            }
            case MARK -> write(What.MARKED, "-", "-", 0);
            case STOP_PRODUCING -> producing = false;
            default -> throw new IllegalArgumentException(command[0]);
        }
    }

    private void consume(String topic, Duration lease, int concurrency, long handlingMillis) {
        ConsumerOptions options = ConsumerOptions.builder()
                .lease(lease)
                .concurrency(concurrency)
                .maxAttempts(1000)
                .backoff(Backoff.fixed(Duration.ZERO))
                .build();
        queue.subscribe(topic, options, (message, delivery) -> handle(message, delivery, handlingMillis))
                .start();
    }

    private void handle(ReceivedMessage message, Delivery delivery, long handlingMillis) {
        long due = ChronoUnit.MICROS.between(Instant.EPOCH, message.due());
        write(What.BEGUN, message.topic(), message.id(), message.attempt(), due);
        if (handlingMillis > 0) {
            // one in a hundred takes ten times as long
            long most = ThreadLocalRandom.current().nextInt(100) == 0 ? 10 * handlingMillis : handlingMillis;
            pause(TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(most + 1)));
        }
        write(What.ENDED, message.topic(), message.id(), message.attempt());
    }

    private void produce(Load load) {
        long startNanos = System.nanoTime();
        for (int i = 0; i < load.count() && producing; i++) {
            pause(startNanos + TimeUnit.SECONDS.toNanos(1) * i / load.perSecond() - System.nanoTime());
            long delayMicros = ThreadLocalRandom.current().nextLong(load.longestDelayMillis() * 1000L + 1);
            schedule(
                    OutgoingMessage.to(load.topic())
                            .id(name + "-" + i)
                            .payload(PAYLOAD)
                            .delay(Duration.ofNanos(delayMicros * 1000))
                            .build(),
                    delayMicros);
        }
        write(What.PRODUCED, load.topic(), "-", 0);
    }

    private void schedule(OutgoingMessage message, long delayMicros) {
        write(What.INTENDED, message.topic(), message.id(), delayMicros);
        while (true) {
            try {
                queue.schedule(message);
                write(What.ACKNOWLEDGED, message.topic(), message.id(), 0);
                return;
            } catch (DelayQueueException e) {
                pause(BEFORE_REPETITION_NANOS);
                write(What.REPEATED, message.topic(), message.id(), 0);
            }
        }
    }

    private static void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public void acked(ReceivedMessage message) {
        write(What.ACKED, message.topic(), message.id(), message.attempt());
    }

    @Override
    public void leaseLost(ReceivedMessage message) {
        write(What.LEASE_LOST, message.topic(), message.id(), message.attempt());
    }

    @Override
    public void leaseExpired(String topic, String id) {
        write(What.LEASE_EXPIRED, topic, id, 0);
    }

    private void write(What what, String topic, String id, long number) {
        write(what, topic, id, number, 0);
    }

    private void write(What what, String topic, String id, long number, long due) {
        print(out, new Entry(name, what, topic, id, number, due, clock.notBefore(), clock.notAfter()));
    }

    private static void print(PrintStream out, Entry entry) {
        // one write a line: a kill never leaves half of one between two others
        byte[] bytes = (entry.line() + "\n").getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
        out.flush();
    }

    private record Load(String topic, int count, int perSecond, int longestDelayMillis) {}
}
