package io.delayqueue.promises;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.Delivery;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.RedisTime;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Consumes, and writes a line for each event: {@code @ type id attempt micros}. Its input says how handlers end; it exits at
 * the end of its input.
 */
final class ChildConsumerProgram implements DelayQueueObserver {

    static final String SAY_WHEN_SETTLED = "say when settled";

    /** Redis' clock can't be asked on the thread that calls observers. */
    private static final long UNKNOWN_TIME = 0;

    private final RedisCommands<String, String> redis;
    private final boolean hold;
    private final BlockingQueue<String> endings = new LinkedBlockingQueue<>();
    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    private ChildConsumerProgram(RedisCommands<String, String> redis, boolean hold) {
        this.redis = redis;
        this.hold = hold;
    }

    /** Arguments: URI, lease in ms, attempts, concurrency, {@code hold} or {@code work}. */
    public static void main(String[] args) throws IOException {
        RedisClient client = RedisClient.create(args[0]);
        var program = new ChildConsumerProgram(client.connect().sync(), args[4].equals("hold"));
        DelayQueueClient queue = DelayQueueClient.create(
                client,
                DelayQueueOptions.builder()
                        .guardInterval(Duration.ofHours(1))
                        .observer(program)
                        .build());
        ConsumerOptions options = ConsumerOptions.builder()
                .lease(Duration.ofMillis(Long.parseLong(args[1])))
                .maxAttempts(Integer.parseInt(args[2]))
                .concurrency(Integer.parseInt(args[3]))
                .backoff(Backoff.fixed(Duration.ZERO))
                .build();
        Subscription subscription = queue.subscribe(TestQueue.TOPIC, options, program::handle);
        subscription.start();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            if (line.equals(SAY_WHEN_SETTLED)) {
                TestQueue.await().until(() -> subscription.inFlight() == 0);
                program.write("settled", "-", 0, UNKNOWN_TIME);
            } else {
                program.endings.add(line);
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private void handle(ReceivedMessage message, Delivery delivery) throws Exception {
        say("handling", message.id(), message.attempt());
        if (!hold) {
            return;
        }
        String ending = endings.take();
        say(delivery.isLeaseLost() ? "knowsItsLeaseIsLost" : "thinksItHasItsLease", message.id(), message.attempt());
        switch (ending) {
            case "throw" -> throw new IllegalStateException("the child's handler failed");
            case "dead-letter" -> delivery.deadLetter("the child gave up");
            default -> {}
        }
    }

    @Override
    public void acked(ReceivedMessage message) {
        report("acked", message);
    }

    @Override
    public void retried(ReceivedMessage message, Duration delay, Throwable error) {
        report("retried", message);
    }

    @Override
    public void deadLettered(String topic, String id, int attempts, String error) {
        write("deadLettered", id, attempts, UNKNOWN_TIME);
    }

    @Override
    public void leaseLost(ReceivedMessage message) {
        report("leaseLost", message);
    }

    private void report(String type, ReceivedMessage message) {
        write(type, message.id(), message.attempt(), UNKNOWN_TIME);
    }

    private void say(String type, String id, int attempt) {
        write(type, id, attempt, RedisTime.micros(redis));
    }

    private void write(String type, String id, int attempt, long micros) {
        String line = "@ " + type + " " + id + " " + attempt + " " + micros + "\n";
        // one write a line: a kill never leaves half of one between two others
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
        out.flush();
    }
}
