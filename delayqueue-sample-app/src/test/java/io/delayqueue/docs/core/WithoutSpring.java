package io.delayqueue.docs.core;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.lettuce.core.RedisClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A delay queue without Spring. */
class WithoutSpring {

    /** Schedules a message, prints it five seconds later, and ends. */
    static void main(String redisUri) throws InterruptedException {
        // tag::without-spring[]
        RedisClient redis = RedisClient.create(redisUri); // such as redis://localhost:6379
        CountDownLatch handled = new CountDownLatch(1);

        try (DelayQueueClient delayQueue = DelayQueueClient.create(redis, DelayQueueOptions.defaults())) {
            delayQueue
                    .subscribe("reminder", ConsumerOptions.defaults(), (message, delivery) -> {
                        System.out.println(new String(message.payload(), StandardCharsets.UTF_8));
                        handled.countDown();
                    })
                    .start();

            ScheduleResult scheduled = delayQueue.schedule(OutgoingMessage.to("reminder")
                    .payload("Call Ann".getBytes(StandardCharsets.UTF_8))
                    .delay(Duration.ofSeconds(5))
                    .build());
            System.out.println(scheduled.outcome()); // SCHEDULED; with an id of your own it may be a duplicate

            handled.await(); // closing the client ends its subscriptions
        } finally {
            redis.shutdown();
        }
        // end::without-spring[]
    }
}
