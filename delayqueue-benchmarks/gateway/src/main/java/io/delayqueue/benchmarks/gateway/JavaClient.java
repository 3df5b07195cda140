package io.delayqueue.benchmarks.gateway;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PulledMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** The API in Java, whose client and consumer all threads share. */
record JavaClient(DelayQueueClient client, PullConsumer consumer) implements QueueClient {

    @Override
    public void send(int count, String body) {
        if (count == 1) {
            var unused = client.schedule(message(body));
        } else {
            var unused = client.scheduleAll(
                    Stream.generate(() -> message(body)).limit(count).toList());
        }
    }

    private OutgoingMessage message(String body) {
        return OutgoingMessage.to(consumer.topic())
                .payload(body.getBytes(StandardCharsets.UTF_8))
                .build();
    }

    @Override
    public int receiveAndDelete(int max, int waitSeconds) {
        List<PulledMessage> messages = consumer.receive(max, Duration.ofSeconds(waitSeconds));
        CompletableFuture.allOf(messages.stream()
                        .map(message -> consumer.ackAsync(message.receipt()))
                        .toArray(CompletableFuture[]::new))
                .join();
        return messages.size();
    }

    /** Closes nothing: the owner of the shared client closes it. */
    @Override
    public void close() {}
}
