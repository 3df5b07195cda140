package io.delayqueue.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A handler that records each delivery and its time by Redis' clock, and then calls the handler of the test. */
public final class Deliveries implements MessageHandler {

    /** Far below a lost wake-up or lease, and above what a busy machine takes. */
    private static final Duration NOISE = Duration.ofSeconds(10);

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

    /** Waits for the next delivery, which may be late by this guard interval at most, and by what a busy machine takes. */
    public Entry nextWithin(Duration guard) throws InterruptedException {
        Entry entry = next();
        assertThat(entry.lateness()).as("lateness of %s", entry).isLessThan(guard.plus(NOISE));
        return entry;
    }

    /** Waits for the next delivery, which has no reason to be late but a busy machine. */
    public Entry nextOnTime() throws InterruptedException {
        return nextWithin(Duration.ZERO);
    }

    /** All deliveries so far. */
    public List<Entry> all() {
        return all;
    }

    /** The deliveries of a message so far. */
    public List<Entry> of(String id) {
        return all.stream().filter(entry -> entry.id().equals(id)).toList();
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

        /** From the due time to the entry of the handler, by Redis' clock. */
        public Duration lateness() {
            return Duration.between(message.due(), at);
        }

        @Override
        public String toString() {
            return message + " at " + at;
        }
    }
}
