package io.delayqueue.dashboard.browser;

import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * Messages in any state, for the page to show.
 *
 * @param client schedules and handles them
 */
record Messages(DelayQueueClient client) {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Messages due in an hour, whose ids are a prefix and a number. */
    void scheduled(String topic, String prefix, int count) {
        client.scheduleAll(IntStream.range(0, count)
                .mapToObj(i -> OutgoingMessage.to(topic)
                        .id(prefix + i)
                        .payload(bytes("{\"number\":" + i + "}"))
                        .delay(Duration.ofHours(1).plusSeconds(i))
                        .build())
                .toList());
    }

    /** A message due in an hour with this payload and these headers. */
    void scheduled(String topic, String id, byte[] payload, Map<String, String> headers) {
        OutgoingMessage.Builder message =
                OutgoingMessage.to(topic).id(id).payload(payload).delay(Duration.ofHours(1));
        headers.forEach(message::header);
        client.scheduleAll(List.of(message.build()));
    }

    /** Messages that are due, and that nobody takes. */
    void ready(String topic, String... ids) {
        client.scheduleAll(due(topic, ids));
    }

    /** Messages whose only attempt failed with this error. */
    void dead(String topic, String error, String... ids) {
        long before = client.stats(topic).dead();
        ConsumerOptions once = ConsumerOptions.builder().maxAttempts(1).build();
        try (Subscription failing = client.subscribe(topic, once, (message, delivery) -> {
            throw new IllegalStateException(error);
        })) {
            failing.start();
            client.scheduleAll(due(topic, ids));
            await().atMost(PATIENCE).until(() -> client.stats(topic).dead() == before + ids.length);
        }
    }

    /** Messages that a consumer has until the result is closed. */
    AutoCloseable inFlight(String topic, String... ids) {
        CountDownLatch handled = new CountDownLatch(1);
        Subscription holder =
                client.subscribe(topic, ConsumerOptions.defaults(), (message, delivery) -> handled.await());
        holder.start();
        client.scheduleAll(due(topic, ids));
        await().atMost(PATIENCE).until(() -> client.stats(topic).inFlight() == ids.length);
        return () -> {
            handled.countDown();
            holder.close();
        };
    }

    private static List<OutgoingMessage> due(String topic, String... ids) {
        return Arrays.stream(ids)
                .map(id -> OutgoingMessage.to(topic).id(id).payload(bytes("{}")).build())
                .toList();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
