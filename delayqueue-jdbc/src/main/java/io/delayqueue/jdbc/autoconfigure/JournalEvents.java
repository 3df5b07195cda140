package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.DelayQueueClient;
import java.util.function.Supplier;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes events where continuations of the client's futures are called, as listeners of events may be slow.
 *
 * @param client asked for with the first event, as some that publish exist before it
 * @param publisher the application's
 */
record JournalEvents(Supplier<DelayQueueClient> client, ApplicationEventPublisher publisher) {

    void publish(Object event) {
        client.get().completionExecutor().execute(() -> publisher.publishEvent(event));
    }
}
