package io.delayqueue.docs.twoservers;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** Sends reports from a Redis of their own, and reminders from the application's. */
// tag::use[]
@Component
class Reports {

    // end::use[]
    final List<String> sent = new CopyOnWriteArrayList<>();
    final List<String> reminded = new CopyOnWriteArrayList<>();
    // tag::use[]
    private final DelayQueueOperations queue;

    Reports(@Qualifier("reportsQueue") DelayQueueOperations queue) {
        this.queue = queue;
    }

    void order(String name) {
        queue.schedule("report", name, Duration.ofHours(1));
    }

    @DelayQueueListener(topic = "report", containerFactory = "reportsListeners")
    void send(String name) {
        // end::use[]
        sent.add(name);
        // tag::use[]
    }
    // end::use[]

    @DelayQueueListener(topic = "reminder")
    void remind(String text) {
        reminded.add(text);
    }
    // tag::use[]
}
// end::use[]
