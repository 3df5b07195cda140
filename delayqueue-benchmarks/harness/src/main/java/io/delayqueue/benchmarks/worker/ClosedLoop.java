package io.delayqueue.benchmarks.worker;

import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Schedules as fast as the peer accepts messages: each thread makes its next call when the last one has returned. */
final class ClosedLoop {

    private final Peer peer;
    private final Line command;
    private final String topic;
    private final int batch;
    private final int payloadSize;
    private final int end;
    private final long millis;
    private final long paceNanos;
    private final long spreadMillis;
    private final int begin;
    private final AtomicInteger next;

    /**
     * The command has {@code topic, threads, batch, payload} (bytes), {@code first} and {@code count} (numbers), {@code
     * millis} (time limit), and {@code pace} (ms between calls). It also has either {@code delay} (ms), or {@code due} (ms
     * since the epoch) with an optional {@code spread} (ms from there to the last one's).
     */
    ClosedLoop(Peer peer, Line command) {
        this.peer = peer;
        this.command = command;
        this.topic = command.text("topic");
        this.batch = (int) command.number("batch");
        this.payloadSize = (int) command.number("payload");
        this.paceNanos = TimeUnit.MILLISECONDS.toNanos(command.number("pace"));
        this.begin = (int) command.number("first");
        this.next = new AtomicInteger(begin);
        this.end = next.get() + (int) command.number("count");
        this.spreadMillis = Long.parseLong(command.values().getOrDefault("spread", "0"));
        this.millis = command.number("millis");
    }

    Line run() {
        int threads = (int) command.number("threads");
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<CompletableFuture<Integer>> callers = new ArrayList<>();
            Footprint before = Footprint.now();
            long start = System.nanoTime();
            long deadline = start + millis * 1_000_000;
            for (int i = 0; i < threads; i++) {
                callers.add(CompletableFuture.supplyAsync(() -> callUntil(deadline), pool));
            }
            int count = callers.stream().mapToInt(CompletableFuture::join).sum();
            long nanos = System.nanoTime() - start;
            Footprint used = Footprint.now().since(before);
            return Line.of(
                    Line.OK, "count", count, "nanos", nanos, "cpu", used.cpuNanos(), "allocated", used.allocated());
        } finally {
            pool.shutdown();
        }
    }

    private int callUntil(long deadline) {
        int count = 0;
        try {
            while (System.nanoTime() - deadline < 0) {
                int from = next.getAndAdd(batch);
                int to = Math.min(from + batch, end);
                if (from >= to) {
                    break;
                }
                call(from, to);
                if (paceNanos > 0) {
                    LockSupport.parkNanos(paceNanos);
                }
                count += to - from;
            }
        } catch (Exception e) {
            throw new CompletionException(e);
        }
        return count;
    }

    private void call(int from, int to) throws Exception {
        if (batch == 1) {
            peer.schedule(NumberedMessages.message(topic, from, payloadSize, delay(from)));
            return;
        }
        List<Outgoing> messages = new ArrayList<>(to - from);
        Duration delay = delay(from);
        for (int number = from; number < to; number++) {
            messages.add(NumberedMessages.message(topic, number, payloadSize, delay));
        }
        peer.scheduleAll(messages);
    }

    private Duration delay(int number) {
        String due = command.values().get("due");
        if (due == null) {
            return Duration.ofMillis(command.number("delay"));
        }
        long later = spreadMillis * (number - begin) / Math.max(1, end - begin);
        return Duration.ofMillis(Math.max(0, Long.parseLong(due) + later - System.currentTimeMillis()));
    }
}
