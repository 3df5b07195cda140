package io.delayqueue.benchmarks.worker;

import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Schedules message n at start + n/rate, independent of earlier messages, consumes all in the same process, and reports their
 * lateness.
 *
 * <p>The due time is the one that the peer reports. If it reports none, it is the return of the {@code schedule} call plus the delay:
 * the latest possible time, in the peer's favour. A message is early if it is handled before the start of the call, in whole
 * milliseconds, plus the delay. To compare all peers alike, lateness is also counted from the start and from the return of the call. A
 * missing message counts with its lateness at the end.
 */
final class OpenLoop {

    private static final int CALLERS = 32;

    private final Peer peer;
    private final String topic;
    private final int payloadSize;
    private final int concurrency;
    private final Duration delay;
    private final long periodNanos;
    private final int warmUp;
    private final int count;
    private final long patienceMillis;
    private final long[] called;
    private final long[] returned;
    private final Histogram calls = new Histogram(3);

    /**
     * The command has {@code topic, payload, concurrency, delay} (ms), {@code period} (ns between messages), {@code warmup}
     * and {@code count} (messages), {@code patience} (ms to wait for the last message).
     */
    OpenLoop(Peer peer, Line command) {
        this.peer = peer;
        this.topic = command.text("topic");
        this.payloadSize = (int) command.number("payload");
        this.concurrency = (int) command.number("concurrency");
        this.delay = Duration.ofMillis(command.number("delay"));
        this.periodNanos = command.number("period");
        this.warmUp = (int) command.number("warmup");
        this.count = warmUp + (int) command.number("count");
        this.patienceMillis = command.number("patience");
        this.called = new long[count];
        this.returned = new long[count];
    }

    Line run() throws Exception {
        Arrivals arrivals = new Arrivals(0, count, false);
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        Footprint before = Footprint.now();
        try (AutoCloseable consumer = peer.consume(List.of(topic), concurrency, arrivals)) {
            scheduleAll(callers);
            arrivals.await(delay.toMillis() + patienceMillis);
            Footprint used = Footprint.now().since(before);
            return lateness(arrivals, WallClock.micros(), used);
        } finally {
            callers.shutdownNow();
        }
    }

    private void scheduleAll(ExecutorService callers) throws InterruptedException {
        CountDownLatch unanswered = new CountDownLatch(count);
        long start = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(10);
        for (int number = 0; number < count; number++) {
            long at = start + periodNanos * number;
            for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            int n = number;
            Outgoing message = NumberedMessages.message(topic, n, payloadSize, delay);
            called[n] = WallClock.micros();
            CompletionStage<?> answer = peer.scheduleAsync(message);
            if (answer == null) {
                answer = CompletableFuture.runAsync(() -> call(n, message), callers);
            }
            answer.whenComplete((done, error) -> {
                returned[n] = error == null ? WallClock.micros() : Long.MAX_VALUE;
                if (n >= warmUp) {
                    synchronized (calls) {
                        calls.recordValue(Math.max(0, (System.nanoTime() - at) / 1_000));
                    }
                }
                unanswered.countDown();
            });
        }
        unanswered.await(patienceMillis, TimeUnit.MILLISECONDS);
    }

    private void call(int number, Outgoing message) {
        try {
            called[number] = WallClock.micros();
            peer.schedule(message);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private Line lateness(Arrivals arrivals, long end, Footprint used) {
        Histogram late = new Histogram(3);
        Histogram lateSinceReturn = new Histogram(3);
        Histogram lateSinceCall = new Histogram(3);
        Histogram lastQuarter = new Histogram(3);
        int early = 0;
        int missing = 0;
        long delayMicros = delay.toMillis() * 1_000;
        for (int n = warmUp; n < count; n++) {
            long reported = arrivals.due(n);
            long notBefore = reported > 0 ? reported : called[n] / 1_000 * 1_000 + delayMicros;
            long due = reported > 0 ? reported : Math.min(returned[n], end) + delayMicros;
            long entered = arrivals.entered(n);
            if (entered == 0) {
                missing++;
                entered = end;
            } else if (entered < notBefore) {
                early++;
            }
            long lateness = Math.max(0, entered - due);
            late.recordValue(lateness);
            lateSinceReturn.recordValue(Math.max(0, entered - Math.min(returned[n], end) - delayMicros));
            lateSinceCall.recordValue(Math.max(0, entered - called[n] - delayMicros));
            if (n >= count - (count - warmUp) / 4) {
                lastQuarter.recordValue(lateness);
            }
        }
        synchronized (calls) {
            return Line.of(
                    Line.OK,
                    "count",
                    count,
                    "measured",
                    count - warmUp,
                    "late",
                    Histograms.encode(late),
                    "lateSinceReturn",
                    Histograms.encode(lateSinceReturn),
                    "lateSinceCall",
                    Histograms.encode(lateSinceCall),
                    "lastQuarter",
                    Histograms.encode(lastQuarter),
                    "calls",
                    Histograms.encode(calls),
                    "early",
                    early,
                    "missing",
                    missing,
                    "duplicates",
                    arrivals.duplicates(),
                    "cpu",
                    used.cpuNanos(),
                    "allocated",
                    used.allocated());
        }
    }
}
