package io.delayqueue.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A program in a JVM of its own, which a test writes to, reads from, pauses and kills.
 *
 * <p>Its standard output is read line by line on a thread of its own. Its standard error is that of the test.
 */
public final class ChildJvm implements AutoCloseable {

    /** A killed process is gone at once, and a busy machine reads its last lines within this time. */
    private static final long LONG_ENOUGH_SECONDS = 25;

    private final Process process;
    private final Thread reader;

    private ChildJvm(Process process, Consumer<String> onLine, Runnable onEnd) {
        this.process = process;
        this.reader = new Thread(() -> read(onLine, onEnd), "child-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** A JVM that runs the main method of this class, on the class path of the test. */
    public static Builder running(Class<?> mainClass) {
        return new Builder(mainClass);
    }

    private void read(Consumer<String> onLine, Runnable onEnd) {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            output.lines().forEach(onLine);
        } catch (IOException | UncheckedIOException e) {
            System.err.println("child " + process.pid() + ": " + e);
        } finally {
            onEnd.run();
        }
    }

    /** Whether the process runs; a paused one does. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Writes a line to its standard input. */
    public void writeLine(String line) {
        try {
            Writer input = process.outputWriter(StandardCharsets.UTF_8);
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code kill -9}; the lines that it wrote before can still be read, see {@link #awaitLastLine()}. */
    public void kill() throws InterruptedException {
        // unlike Process.destroyForcibly(), this leaves the pipe of its output open
        process.toHandle().destroyForcibly();
        assertThat(process.waitFor(LONG_ENOUGH_SECONDS, TimeUnit.SECONDS))
                .as("child %d is gone", process.pid())
                .isTrue();
    }

    /** {@code kill -STOP}. */
    public void pause() {
        signal("STOP");
    }

    /** {@code kill -CONT}. */
    public void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            int code = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            assertThat(code).as("exit code of kill -%s", name).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the last line of the killed process is read. */
    public void awaitLastLine() throws InterruptedException {
        reader.join(TimeUnit.SECONDS.toMillis(LONG_ENOUGH_SECONDS));
    }

    /** Kills it, and reads to the end of its output. */
    @Override
    public void close() throws InterruptedException {
        kill();
        awaitLastLine();
    }

    /** Settings of a child JVM. */
    public static final class Builder {

        private final Class<?> mainClass;
        private final List<String> arguments = new ArrayList<>();
        private final Map<String, String> variables = new HashMap<>();
        private Consumer<String> onLine = line -> {};
        private Runnable onEnd = () -> {};

        private Builder(Class<?> mainClass) {
            this.mainClass = mainClass;
        }

        /** Arguments of its main method. */
        public Builder arguments(Object... values) {
            for (Object value : values) {
                arguments.add(String.valueOf(value));
            }
            return this;
        }

        /** Variables of its environment. */
        public Builder environment(Map<String, String> variables) {
            this.variables.putAll(variables);
            return this;
        }

        /** Receives each line of its standard output. */
        public Builder onLine(Consumer<String> receiver) {
            this.onLine = receiver;
            return this;
        }

        /** Runs after the last line. */
        public Builder onEnd(Runnable action) {
            this.onEnd = action;
            return this;
        }

        /** Starts the process. */
        public ChildJvm start() {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            // a small and short-lived process: starting fast matters, peak speed does not
            command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m"));
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass.getName()));
            command.addAll(arguments);
            try {
                ProcessBuilder process = new ProcessBuilder(command).redirectError(Redirect.INHERIT);
                process.environment().putAll(variables);
                return new ChildJvm(process.start(), onLine, onEnd);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
