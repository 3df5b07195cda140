package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A consumer in a JVM of its own ({@link ChildConsumerProgram}), to be killed and frozen. */
final class ChildConsumer implements AutoCloseable {

    private static final Event END = new Event("end", "", 0, 0);

    private final Process process;
    private final Thread reader;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    private ChildConsumer(Process process) {
        this.process = process;
        this.reader = new Thread(this::read, "child-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** A consumer whose handlers wait for {@link #endHandler}. */
    static ChildConsumer holding(TestQueue test, int leaseMillis, int maxAttempts) {
        return start(test, leaseMillis, maxAttempts, 1, "hold");
    }

    /** A consumer whose handlers return at once. */
    static ChildConsumer working(TestQueue test, int leaseMillis, int maxAttempts) {
        return start(test, leaseMillis, maxAttempts, 10, "work");
    }

    private static ChildConsumer start(TestQueue test, int leaseMillis, int maxAttempts, int concurrency, String mode) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        try {
            return new ChildConsumer(new ProcessBuilder(
                            java,
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Xmx128m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ChildConsumerProgram.class.getName(),
                            test.server().uri(),
                            String.valueOf(leaseMillis),
                            String.valueOf(maxAttempts),
                            String.valueOf(concurrency),
                            mode)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Event event = Event.of(line);
                if (event != null) {
                    events.add(event);
                } else {
                    System.err.println("child " + process.pid() + ": " + line);
                }
            }
        } catch (IOException e) {
            System.err.println("child " + process.pid() + ": " + e);
        } finally {
            events.add(END);
        }
    }

    /** The next event. */
    Event next() throws InterruptedException {
        @Nullable Event event = events.poll(25, TimeUnit.SECONDS);
        assertThat(event).as("an event of the child").isNotNull();
        return event;
    }

    /** The next event of that kind; those before it are passed over. */
    Event next(String what) throws InterruptedException {
        Event event = next();
        while (!event.what().equals(what)) {
            assertThat(event).as("while waiting for '%s'", what).isNotEqualTo(END);
            event = next();
        }
        return event;
    }

    /** What happens in the child until nothing is in its hands any more. */
    List<Event> untilSettled() throws InterruptedException {
        tell(ChildConsumerProgram.SAY_WHEN_SETTLED);
        List<Event> passed = new ArrayList<>();
        for (Event event = next(); !event.what().equals("settled"); event = next()) {
            assertThat(event).as("after %s", passed).isNotEqualTo(END);
            passed.add(event);
        }
        return passed;
    }

    /** What else the dead child said. */
    List<Event> rest() throws InterruptedException {
        reader.join(TimeUnit.SECONDS.toMillis(25));
        return events.stream().filter(Predicate.not(END::equals)).toList();
    }

    /** Lets a handler end: {@code return}, {@code throw} or {@code dead-letter}. */
    void endHandler(String how) {
        tell(how);
    }

    private void tell(String line) {
        try {
            Writer commands = process.outputWriter(StandardCharsets.UTF_8);
            commands.write(line + "\n");
            commands.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** kill -9, as {@link Process#destroyForcibly()} does, but leaving what it wrote to be read. */
    void kill() throws InterruptedException {
        process.toHandle().destroyForcibly();
        assertThat(process.waitFor(25, TimeUnit.SECONDS)).isTrue();
    }

    /** kill -STOP. */
    void freeze() {
        signal("STOP");
    }

    /** kill -CONT. */
    void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            int code = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            assertThat(code).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
        reader.join();
    }

    /**
     * A line of the child's.
     *
     * @param micros Redis' clock
     */
    record Event(String what, String id, int attempt, long micros) {

        static @Nullable Event of(String line) {
            String[] words = line.split(" ");
            return words.length == 5 && words[0].equals("@")
                    ? new Event(words[1], words[2], Integer.parseInt(words[3]), Long.parseLong(words[4]))
                    : null;
        }
    }
}
