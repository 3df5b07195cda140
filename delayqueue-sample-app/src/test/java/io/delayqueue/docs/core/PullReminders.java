package io.delayqueue.docs.core;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.Receipt;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Reminders for workers that ask for them, such as by a protocol of their own. */
class PullReminders implements AutoCloseable {

    // tag::pull[]
    private final PullConsumer reminders;

    PullReminders(DelayQueueClient delayQueue) {
        PullOptions options = PullOptions.builder().lease(Duration.ofMinutes(2)).build();
        reminders = delayQueue.pullConsumer("reminder", options);
    }

    /** A worker asks for its next messages. Nothing here has a thread while it waits. */
    void next(Consumer<List<PulledMessage>> worker) {
        reminders.receiveAsync(10, Duration.ofSeconds(20)).thenAccept(worker);
    }

    /** A worker is done with a message: perhaps another process than this one gave it to the worker. */
    boolean done(String receipt) {
        return reminders.ack(Receipt.parse(receipt)); // false if its lease was over before
    }

    /** A worker needs more time. The receipt stays good. */
    boolean workingOn(String receipt) {
        return reminders.extend(Receipt.parse(receipt), Duration.ofMinutes(2));
    }
    // end::pull[]

    @Override
    public void close() {
        reminders.close();
    }
}
