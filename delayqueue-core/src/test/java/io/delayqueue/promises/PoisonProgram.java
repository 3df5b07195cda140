package io.delayqueue.promises;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.Delivery;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Consumes topics with handlers that take a moment. One that begins with {@code poison} halts the JVM in its handler, with all that
 * is in flight. Writes {@code begun id} for each handler.
 */
final class PoisonProgram {

    private static final CountDownLatch NEVER = new CountDownLatch(1);

    private PoisonProgram() {}

    /** Arguments: URI, lease in ms, attempts, concurrency, how long a handler takes in ms, topics. */
    public static void main(String[] args) throws IOException {
        DelayQueueClient queue = DelayQueueClient.create(
                RedisClient.create(args[0]),
                TestQueue.clientOptions().guardInterval(Duration.ofHours(1)).build());
        ConsumerOptions options = ConsumerOptions.builder()
                .lease(Duration.ofMillis(Long.parseLong(args[1])))
                .maxAttempts(Integer.parseInt(args[2]))
                .concurrency(Integer.parseInt(args[3]))
                .backoff(Backoff.fixed(Duration.ZERO))
                .build();
        long millis = Long.parseLong(args[4]);
        for (int i = 5; i < args.length; i++) {
            queue.subscribe(args[i], options, (message, delivery) -> handle(message, delivery, millis))
                    .start();
        }
        while (System.in.read() >= 0) {
            // until the parent ends
        }
        Runtime.getRuntime().halt(0);
    }

    private static void handle(ReceivedMessage message, Delivery delivery, long millis) throws InterruptedException {
        System.out.println("begun " + message.id());
        boolean poison = message.id().startsWith("poison");
        // half of the time: its neighbours are still in flight
        NEVER.await(poison ? millis / 2 : millis, TimeUnit.MILLISECONDS);
        if (poison) {
            System.out.flush();
            Runtime.getRuntime().halt(1);
        }
    }
}
