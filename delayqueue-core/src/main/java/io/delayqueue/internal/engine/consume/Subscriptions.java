package io.delayqueue.internal.engine.consume;

import io.delayqueue.DelayQueueClosedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** The subscriptions and pull consumers of a client that are running, and the bounds that they share. Thread-safe. */
public final class Subscriptions {

    private final Map<String, Set<ConsumerRun>> running = new ConcurrentHashMap<>();
    private final SuspectPermit suspectPermit;
    private final BytesInFlight bytes;
    private final BeginMarks beginMarks = new BeginMarks();
    private volatile boolean closed;

    /**
     * None is running yet.
     *
     * @param maxInFlightBytes most bytes of all messages in flight
     * @param timer runs short tasks
     */
    public Subscriptions(long maxInFlightBytes, ScheduledExecutorService timer) {
        this.suspectPermit = new SuspectPermit(timer);
        this.bytes = new BytesInFlight(maxInFlightBytes, timer);
    }

    SuspectPermit suspectPermit() {
        return suspectPermit;
    }

    BytesInFlight bytes() {
        return bytes;
    }

    BeginMarks beginMarks() {
        return beginMarks;
    }

    void add(ConsumerRun run) {
        running.compute(run.context().topic(), (topic, runs) -> {
            Set<ConsumerRun> ofTopic = runs != null ? runs : ConcurrentHashMap.newKeySet();
            ofTopic.add(run);
            return ofTopic;
        });
        // checked after adding: a close that comes meanwhile stops the run, or is seen here
        if (closed) {
            remove(run);
            throw closed(run.context().topic(), null);
        }
    }

    static DelayQueueClosedException closed(String topic, @Nullable Throwable cause) {
        return new DelayQueueClosedException(
                "the delay queue is closed; topic '" + topic + "' can't be consumed any more", topic, null, cause);
    }

    void remove(ConsumerRun run) {
        running.computeIfPresent(run.context().topic(), (topic, runs) -> {
            runs.remove(run);
            return runs.isEmpty() ? null : runs;
        });
    }

    /** A message of the topic may be due after that time. */
    public void wakeUp(String topic, long waitMicros) {
        running.getOrDefault(topic, Set.of()).forEach(run -> run.partitions().wakeUp(waitMicros));
    }

    /** Stops all at the same time, and lets none start any more. */
    public void close(Duration grace) {
        closed = true;
        List<ConsumerRun> all = running.values().stream().flatMap(Set::stream).toList();
        StopSequence.stop(all, grace);
    }
}
