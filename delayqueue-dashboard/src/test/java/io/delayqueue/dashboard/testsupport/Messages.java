package io.delayqueue.dashboard.testsupport;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageHandler;
import io.delayqueue.Subscription;
import java.time.Duration;
import java.util.UUID;

/** Messages for tests to look at. */
public final class Messages {

    private Messages() {}

    /** Name of a topic that no other test has. */
    public static String uniqueTopic() {
        return "orders-" + UUID.randomUUID().toString().substring(0, 8) + "-";
    }

    /** A consumer whose handler fails at each message, which is dead at once. */
    public static Subscription failing(DelayQueueClient client, String topic) {
        ConsumerOptions options = ConsumerOptions.builder()
                .maxAttempts(1)
                .backoff(Backoff.fixed(Duration.ofMillis(1)))
                .build();
        Subscription subscription = client.subscribe(topic, options, (message, delivery) -> {
            throw new IllegalStateException("card 4711 refused");
        });
        subscription.start();
        return subscription;
    }

    /** A consumer with this handler, started. */
    public static Subscription consuming(DelayQueueClient client, String topic, MessageHandler handler) {
        Subscription subscription = client.subscribe(topic, ConsumerOptions.defaults(), handler);
        subscription.start();
        return subscription;
    }
}
