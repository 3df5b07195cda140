package io.delayqueue.benchmarks.worker;

import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The process of one peer: {@code java … Worker <class of the peer>}. It answers each {@link Line} of its input with another one, and
 * ends with its input. All other output goes to standard error.
 */
public final class Worker {

    private final String peerClass;
    private @Nullable Peer peer;
    private @Nullable Arrivals arrivals;
    private @Nullable AutoCloseable consumer;
    private Footprint consumptionStart = new Footprint(0, 0);

    private Worker(String peerClass) {
        this.peerClass = peerClass;
    }

    /** Answers commands until the input ends. */
    public static void main(String[] args) throws InterruptedException {
        PrintStream answers = System.out;
        System.setOut(System.err);
        BlockingQueue<String> commands = new LinkedBlockingQueue<>();
        new Thread(() -> readUntilTheEnd(commands), "commands").start();
        Worker worker = new Worker(args[0]);
        while (true) {
            answers.println(worker.answer(commands.take()));
            answers.flush();
        }
    }

    /** Then the process ends at once: a command that is under way may wait for a server that has gone. */
    private static void readUntilTheEnd(BlockingQueue<String> commands) {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            for (String text = input.readLine(); text != null; text = input.readLine()) {
                commands.add(text);
            }
        } catch (IOException e) {
            e.printStackTrace();
        } finally {
            Runtime.getRuntime().halt(0); // without waiting for threads that a peer left running
        }
    }

    private Line answer(String text) {
        try {
            return execute(Line.parse(text));
        } catch (Exception e) {
            e.printStackTrace();
            return Line.of(Line.ERROR, "message", e);
        }
    }

    private Line execute(Line command) throws Exception {
        return switch (command.word()) {
            case "open" -> open(command);
            case "schedule" -> new ClosedLoop(peer(), command).run();
            case "paced" -> new PacedCalls(peer(), command).run();
            case "consume" -> consume(command);
            case "await" -> await(command);
            case "times" -> times();
            case "state" -> state();
            case "counters" -> counters(Line.of(Line.OK));
            case "stop" -> stop();
            case "close" -> close();
            default -> throw new IllegalArgumentException("unknown: " + command.word());
        };
    }

    private Line open(Line command) throws Exception {
        PeerSettings settings = new PeerSettings(
                command.text("server"),
                Duration.ofMillis(command.number("lease")),
                (int) command.number("partitions"),
                command.text("variant"));
        peer = (Peer)
                Class.forName(peerClass).getConstructor(PeerSettings.class).newInstance(settings);
        return Line.of(Line.OK);
    }

    /** Starts to consume. The resources that this takes are not those of the messages. */
    private Line consume(Line command) throws Exception {
        Arrivals expected = new Arrivals(
                (int) command.number("first"), (int) command.number("count"), Work.of(command.text("handler")));
        arrivals = expected;
        consumer = peer().consume(Topics.of(command), (int) command.number("concurrency"), expected);
        consumptionStart = Footprint.now();
        return Line.of(Line.OK);
    }

    private Line await(Line command) throws InterruptedException {
        Arrivals expected = Objects.requireNonNull(arrivals, "consume first");
        expected.await(command.number("millis"));
        Footprint used = Footprint.now().since(consumptionStart);
        long[] range = expected.range();
        Line answer = Line.of(
                Line.OK,
                "count",
                expected.count(),
                "first",
                range[0],
                "last",
                range[1],
                "duplicates",
                expected.duplicates(),
                "cpu",
                used.cpuNanos(),
                "allocated",
                used.allocated());
        return counters(answer);
    }

    /** When each message was handled, and was due if the peer reports that; 0 if not. */
    private Line times() {
        Arrivals expected = Objects.requireNonNull(arrivals, "consume first");
        return Line.of(
                Line.OK,
                "now",
                WallClock.micros(),
                "first",
                expected.first(),
                "entered",
                Times.encode(expected.entered()),
                "due",
                Times.encode(expected.due()));
    }

    /** The threads and the used heap of this process. */
    private static Line state() {
        System.gc();
        return Line.of(
                Line.OK,
                "threads",
                ManagementFactory.getThreadMXBean().getThreadCount(),
                "heap",
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }

    private Line counters(Line answer) {
        peer().counters().forEach((name, value) -> answer.values().put("counter." + name, Long.toString(value)));
        return answer;
    }

    private Line stop() throws Exception {
        if (consumer != null) {
            consumer.close();
            consumer = null;
        }
        return Line.of(Line.OK);
    }

    private Line close() throws Exception {
        stop();
        if (peer != null) {
            peer.close();
            peer = null;
        }
        return Line.of(Line.OK);
    }

    private Peer peer() {
        return Objects.requireNonNull(peer, "open first");
    }
}
