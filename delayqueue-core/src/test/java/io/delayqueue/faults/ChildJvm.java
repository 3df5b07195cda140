package io.delayqueue.faults;

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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A program in a JVM of its own, to be killed and frozen. It is spoken to by its input, and heard by its output. */
public final class ChildJvm implements AutoCloseable {

    private final Process process;
    private final Thread reader;

    private ChildJvm(Process process, Consumer<String> lines, Runnable onEnd) {
        this.process = process;
        this.reader = new Thread(() -> read(lines, onEnd), "child-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts it.
     *
     * @param lines gets each line it writes
     * @param onEnd once it has written its last
     */
    public static ChildJvm start(Class<?> program, Consumer<String> lines, Runnable onEnd, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return new ChildJvm(process, lines, onEnd);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(Consumer<String> lines, Runnable onEnd) {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.accept(line);
            }
        } catch (IOException e) {
            System.err.println("child " + process.pid() + ": " + e);
        } finally {
            onEnd.run();
        }
    }

    /** Its process id. */
    public long pid() {
        return process.pid();
    }

    /** Writes a line to its input. */
    public void tell(String line) {
        try {
            Writer input = process.outputWriter(StandardCharsets.UTF_8);
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** kill -9, as {@link Process#destroyForcibly()} does, but leaving what it wrote to be read. */
    public void kill() throws InterruptedException {
        process.toHandle().destroyForcibly();
        assertThat(process.waitFor(25, TimeUnit.SECONDS)).isTrue();
    }

    /** kill -STOP. */
    public void freeze() {
        signal("STOP");
    }

    /** kill -CONT. */
    public void thaw() {
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

    /** Waits until the last line that the dead program wrote was read. */
    public void awaitLastLine() throws InterruptedException {
        reader.join(TimeUnit.SECONDS.toMillis(25));
    }

    @Override
    public void close() throws InterruptedException {
        kill();
        reader.join();
    }
}
