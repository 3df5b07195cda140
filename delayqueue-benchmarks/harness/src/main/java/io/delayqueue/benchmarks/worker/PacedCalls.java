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

/**
 * Schedules message n at start + n × period, independent of earlier messages, to each of the topics in turn. So a peer that stalls can't
 * hide it.
 */
final class PacedCalls {

    /** For peers whose calls wait. */
    private static final int CALLERS = 32;

    private final Peer peer;
    private final List<String> topics;
    private final int payloadSize;
    private final Duration delay;
    private final long periodNanos;
    private final long patienceMillis;
    private final int first;
    private final long[] called;
    private final long[] returned;

    /**
     * The command has {@code topic} and maybe {@code topics}, {@code first} and {@code count} (numbers), {@code payload} (bytes),
     * {@code delay} (ms), {@code period} (ns between messages), and {@code patience} (ms to wait for the last answer).
     */
    PacedCalls(Peer peer, Line command) {
        this.peer = peer;
        this.topics = Topics.of(command);
        this.payloadSize = (int) command.number("payload");
        this.delay = Duration.ofMillis(command.number("delay"));
        this.periodNanos = command.number("period");
        this.patienceMillis = command.number("patience");
        this.first = (int) command.number("first");
        this.called = new long[(int) command.number("count")];
        this.returned = new long[called.length];
    }

    /**
     * Makes all calls and waits for their answers. The answer has {@code start} and, for each message, when its call began and when it
     * returned: 0 for those that did not, or failed.
     */
    Line run() throws InterruptedException {
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try {
            CountDownLatch unanswered = new CountDownLatch(called.length);
            long start = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(10);
            long startMicros = WallClock.micros() + 10_000;
            for (int n = 0; n < called.length; n++) {
                long at = start + periodNanos * n;
                for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                call(n, callers, unanswered);
            }
            unanswered.await(patienceMillis, TimeUnit.MILLISECONDS);
            return Line.of(
                    Line.OK, "start", startMicros, "called", Times.encode(called), "returned", Times.encode(returned));
        } finally {
            callers.shutdownNow();
        }
    }

    private void call(int n, ExecutorService callers, CountDownLatch unanswered) {
        Outgoing message = NumberedMessages.message(topics.get(n % topics.size()), first + n, payloadSize, delay);
        called[n] = WallClock.micros();
        CompletionStage<?> answer = peer.scheduleAsync(message);
        if (answer == null) {
            answer = CompletableFuture.runAsync(() -> callAndWait(n, message), callers);
        }
        answer.whenComplete((done, error) -> {
            returned[n] = error == null ? WallClock.micros() : 0;
            unanswered.countDown();
        });
    }

    private void callAndWait(int n, Outgoing message) {
        try {
            called[n] = WallClock.micros();
            peer.schedule(message);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
