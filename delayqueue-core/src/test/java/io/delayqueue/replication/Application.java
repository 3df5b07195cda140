package io.delayqueue.replication;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Schedules and consumes as applications do: repeats each call until it is acknowledged. Logs acknowledged messages
 * ({@code accepted id}) and handled ones ({@code handled id}). Ids begin with the time of their first call.
 */
final class Application implements AutoCloseable {

    /** The last line of a child that was told to stop producing. */
    static final String STOPPED = "stopped";

    private static final Duration BETWEEN_MESSAGES = Duration.ofMillis(5);

    private final String name;
    private final DelayQueueClient queue;
    private final Consumer<String> log;
    private final Thread producer = new Thread(this::produce, "producer");
    private final CountDownLatch stopping = new CountDownLatch(1);

    Application(String name, RedisClient client, Consumer<String> log) {
        this.name = name;
        this.log = log;
        this.queue = DelayQueueClient.create(
                client,
                DelayQueueOptions.builder()
                        .commandTimeout(Duration.ofSeconds(1))
                        .shutdownTimeout(Duration.ofSeconds(5))
                        .waitForReplicas(1, Duration.ofMillis(500))
                        .build());
        ConsumerOptions options = ConsumerOptions.builder()
                .lease(Duration.ofSeconds(5))
                .maxAttempts(1000)
                .backoff(Backoff.fixed(Duration.ofMillis(100)))
                .build();
        queue.subscribe(Replicated.TOPIC, options, (message, delivery) -> log.accept("handled " + message.id()))
                .start();
        producer.start();
    }

    DelayQueueClient queue() {
        return queue;
    }

    /** Schedules no more; returns when the last call is acknowledged. */
    void stopProducing() throws InterruptedException {
        stopping.countDown();
        producer.join();
    }

    @Override
    public void close() {
        queue.close();
    }

    /** A refused message is sent again later, so that it does not delay the next ones. */
    private void produce() {
        Deque<OutgoingMessage> refused = new ArrayDeque<>();
        for (int i = 0; !isStopping(BETWEEN_MESSAGES); i++) {
            submit(
                    Replicated.message(System.currentTimeMillis() + "-" + name + "-" + i)
                            .delay(Duration.ofMillis(ThreadLocalRandom.current().nextInt(500)))
                            .build(),
                    refused);
            if (!refused.isEmpty()) {
                submit(refused.remove(), refused);
            }
        }
        while (!refused.isEmpty()) {
            submit(refused.remove(), refused);
        }
    }

    private void submit(OutgoingMessage message, Deque<OutgoingMessage> refused) {
        if (accepted(message)) {
            log.accept("accepted " + message.id());
        } else {
            refused.add(message);
        }
    }

    private boolean accepted(OutgoingMessage message) {
        try {
            queue.schedule(message);
            return true;
        } catch (RedisUnavailableException | ReplicationTimeoutException e) {
            return false;
        }
    }

    private boolean isStopping(Duration within) {
        try {
            return stopping.await(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** In a JVM of its own. Argument: URI. Stops producing at the first line of input, and ends with its input. */
    public static void main(String[] args) throws Exception {
        Application application = new Application("child", RedisClient.create(args[0]), line -> {
            System.out.print(line + "\n");
            System.out.flush();
        });
        if (System.in.read() >= 0) {
            application.stopProducing();
            System.out.print(STOPPED + "\n");
            System.out.flush();
        }
        while (System.in.read() >= 0) {
            continue;
        }
        Runtime.getRuntime().halt(0);
    }
}
