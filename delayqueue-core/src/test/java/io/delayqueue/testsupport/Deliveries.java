package io.delayqueue.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A handler that records each delivery and its time by Redis' clock, and then calls the handler of the test. */
public final class Deliveries implements MessageHandler {

    private final TestQueue test;
    private final MessageHandler then;
    private final List<Entry> all = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Entry> next = new LinkedBlockingQueue<>();

    public Deliveries(TestQueue test) {
        this(test, (message, delivery) -> {});
    }

    public Deliveries(TestQueue test, MessageHandler then) {
        this.test = test;
        this.then = then;
    }

    @Override
    public void handle(ReceivedMessage message, Delivery delivery) throws Exception {
        Entry entry = new Entry(message, delivery, test.now());
        all.add(entry);
        next.add(entry);
        then.handle(message, delivery);
    }

    /** Waits for the next delivery. */
    public Entry next() throws InterruptedException {
        @Nullable Entry entry = next.poll(25, TimeUnit.SECONDS);
        assertThat(entry).as("a delivery after %s", all).isNotNull();
        return entry;
    }

    /** All deliveries so far. */
    public List<Entry> all() {
        return all;
    }

    public List<String> ids() {
        return all.stream().map(Entry::id).toList();
    }

    public List<Integer> attempts() {
        return all.stream().map(Entry::attempt).toList();
    }

    /** An entry of the handler. */
    public record Entry(ReceivedMessage message, Delivery delivery, Instant at) {

        public String id() {
            return message.id();
        }

        public int attempt() {
            return message.attempt();
        }

        @Override
        public String toString() {
            return message + " at " + at;
        }
    }
}
