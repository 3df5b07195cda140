package io.delayqueue.benchmarks;

import io.delayqueue.benchmarks.worker.Line;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM that runs one peer. Used by one thread at a time. */
public final class WorkerProcess implements AutoCloseable {

    private final Contestant contestant;
    private final Process process;
    private final PrintStream commands;
    private final BufferedReader answers;

    private WorkerProcess(Contestant contestant, Process process) {
        this.contestant = contestant;
        this.process = process;
        this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.US_ASCII);
        this.answers = process.inputReader(StandardCharsets.US_ASCII);
    }

    static WorkerProcess start(Contestant contestant, Jvms jvms) {
        try {
            return new WorkerProcess(contestant, jvms.prepareWorker(contestant).start());
        } catch (IOException e) {
            throw new UncheckedIOException("can't start a process for " + contestant.name(), e);
        }
    }

    /** Connects it to a server. */
    public void open(String address, long leaseMillis, int partitions, String variant) {
        call("open", "server", address, "lease", leaseMillis, "partitions", partitions, "variant", variant);
    }

    /** Sends a command and waits for its answer. */
    public Line call(String word, Object... keysAndValues) {
        send(word, keysAndValues);
        return receive();
    }

    /** Sends a command; {@link #receive} waits for its answer. */
    public void send(String word, Object... keysAndValues) {
        commands.println(Line.of(word, keysAndValues));
    }

    /** The answer to the first unanswered command. */
    public Line receive() {
        try {
            String text = answers.readLine();
            if (text == null) {
                throw new IllegalStateException(contestant.name() + ": its process ended");
            }
            Line answer = Line.parse(text);
            if (!answer.word().equals(Line.OK)) {
                throw new IllegalStateException(contestant.name() + ": " + answer);
            }
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the process as {@code kill -9} does. */
    public void kill() {
        killAll(List.of(this));
    }

    /** Ends processes as {@code kill -9} does, all at the same moment: to wait for the end of one takes some ms. */
    static void killAll(List<WorkerProcess> processes) {
        processes.forEach(each -> each.process.destroyForcibly());
        processes.forEach(WorkerProcess::awaitEnd);
    }

    @Override
    public void close() {
        commands.close(); // the end of its input ends it
        if (!awaitEnd()) {
            kill();
        }
    }

    private boolean awaitEnd() {
        try {
            return process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
