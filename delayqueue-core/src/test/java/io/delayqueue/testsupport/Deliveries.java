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

/** Notes what is delivered and when by Redis' clock, then goes on as the test wants. */
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

    /** The next delivery, waiting for it. */
    public Entry next() throws InterruptedException {
        @Nullable Entry entry = next.poll(25, TimeUnit.SECONDS);
        assertThat(entry).as("a delivery after %s", all).isNotNull();
        return entry;
    }

    /** All so far. */
    public List<Entry> all() {
        return all;
    }

    public List<String> ids() {
        return all.stream().map(Entry::id).toList();
    }

    public List<Integer> attempts() {
        return all.stream().map(Entry::attempt).toList();
    }

    /** A handler was entered. */
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
