package io.delayqueue.docs.core;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageHandler;
import io.delayqueue.Subscription;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** A handler without Spring that waits for an HTTP service and keeps no thread meanwhile. */
class AsyncReminders {

    private final HttpClient http = HttpClient.newHttpClient();

    /** Posts each reminder to the service. */
    Subscription start(DelayQueueClient delayQueue, URI service) {
        // tag::async[]
        Subscription subscription = delayQueue.subscribe(
                "reminder",
                ConsumerOptions.builder().concurrency(500).build(), // requests under way, not threads
                MessageHandler.async((message, delivery) -> http.sendAsync(
                                HttpRequest.newBuilder(service)
                                        .POST(HttpRequest.BodyPublishers.ofByteArray(message.payload()))
                                        .build(),
                                HttpResponse.BodyHandlers.discarding())
                        .thenAccept(response -> {
                            if (response.statusCode() >= 300) {
                                throw new IllegalStateException("answered " + response.statusCode()); // is retried
                            }
                        })));
        subscription.start();
        // end::async[]
        return subscription;
    }
}
