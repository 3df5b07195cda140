package io.delayqueue.spring.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program in a JVM of its own; its standard output is read line by line, its standard error is that of the test. */
public final class ChildJvm implements AutoCloseable {

    private final Process process;
    private final Received<String> lines = new Received<>();

    private ChildJvm(Process process) {
        this.process = process;
        Thread reader = new Thread(this::read, "child-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** A JVM that runs the main method of this class, on the class path of the test. */
    public static ChildJvm running(Class<?> mainClass, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // a small and short-lived process: starting fast matters, peak speed does not
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass.getName()));
        command.addAll(List.of(arguments));
        try {
            return new ChildJvm(
                    new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (var output = process.inputReader(StandardCharsets.UTF_8)) {
            output.lines().forEach(lines::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The lines of its standard output. */
    public Received<String> lines() {
        return lines;
    }

    /** Whether it runs. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** {@code kill -TERM}; its last lines can still be read. */
    public void terminate() {
        // unlike Process.destroy(), this leaves the pipe of its output open
        process.toHandle().destroy();
    }

    /** Its exit code, once it has ended; fails if it does not within this time. */
    public int exitCode(long timeoutSeconds) throws InterruptedException {
        if (!process.waitFor(timeoutSeconds, TimeUnit.SECONDS)) {
            throw new AssertionError("still running after " + timeoutSeconds + " s: " + lines.all());
        }
        return process.exitValue();
    }

    /** Kills it. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
