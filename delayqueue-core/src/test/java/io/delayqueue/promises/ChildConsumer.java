package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.ChildJvm;
import io.delayqueue.testsupport.TestQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A consumer in a JVM of its own ({@link ChildConsumerProgram}), which a test can kill and pause. */
final class ChildConsumer implements AutoCloseable {

    private static final Event END = new Event("end", "", 0, 0);

    private final ChildJvm child;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    private ChildConsumer(TestQueue test, int leaseMillis, int maxAttempts, int concurrency, String mode) {
        child = ChildJvm.running(ChildConsumerProgram.class)
                .arguments(test.uri(), leaseMillis, maxAttempts, concurrency, mode)
                .onLine(this::read)
                .onEnd(() -> events.add(END))
                .start();
    }

    /** A consumer whose handlers wait for {@link #endHandler}. */
    static ChildConsumer holding(TestQueue test, int leaseMillis, int maxAttempts) {
        return new ChildConsumer(test, leaseMillis, maxAttempts, 1, "hold");
    }

    /** A consumer whose handlers return at once. */
    static ChildConsumer working(TestQueue test, int leaseMillis, int maxAttempts) {
        return new ChildConsumer(test, leaseMillis, maxAttempts, 10, "work");
    }

    private void read(String line) {
        Event event = Event.of(line);
        if (event != null) {
            events.add(event);
        } else {
            System.err.println("child: " + line);
        }
    }

    /** The next event. */
    Event next() throws InterruptedException {
        @Nullable Event event = events.poll(50, TimeUnit.SECONDS);
        assertThat(event).as("an event of the child").isNotNull();
        return event;
    }

    /** The next event of that type; events before it are passed over. */
    Event next(String type) throws InterruptedException {
        Event event = next();
        while (!event.type().equals(type)) {
            assertThat(event).as("while waiting for '%s'", type).isNotEqualTo(END);
            event = next();
        }
        return event;
    }

    /** The events until no message is in flight in the child. */
    List<Event> untilSettled() throws InterruptedException {
        child.writeLine(ChildConsumerProgram.SAY_WHEN_SETTLED);
        List<Event> passed = new ArrayList<>();
        for (Event event = next(); !event.type().equals("settled"); event = next()) {
            assertThat(event).as("after %s", passed).isNotEqualTo(END);
            passed.add(event);
        }
        return passed;
    }

    /** The other events of the killed child. */
    List<Event> rest() throws InterruptedException {
        child.awaitLastLine();
        return events.stream().filter(Predicate.not(END::equals)).toList();
    }

    /** Lets a handler end: {@code return}, {@code throw} or {@code dead-letter}. */
    void endHandler(String how) {
        child.writeLine(how);
    }

    /** {@code kill -9}; the lines that it wrote can still be read. */
    void kill() throws InterruptedException {
        child.kill();
    }

    /** {@code kill -STOP}. */
    void pause() {
        child.pause();
    }

    /** {@code kill -CONT}. */
    void resume() {
        child.resume();
    }

    @Override
    public void close() throws InterruptedException {
        child.close();
    }

    /**
     * A line that the child wrote.
     *
     * @param micros time by Redis' clock; 0 where the child can't ask for it
     */
    record Event(String type, String id, int attempt, long micros) {

        static @Nullable Event of(String line) {
            String[] words = line.split(" ");
            return words.length == 5 && words[0].equals("@")
                    ? new Event(words[1], words[2], Integer.parseInt(words[3]), Long.parseLong(words[4]))
                    : null;
        }
    }
}
