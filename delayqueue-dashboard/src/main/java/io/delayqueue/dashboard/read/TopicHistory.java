package io.delayqueue.dashboard.read;

import io.delayqueue.TopicStats;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The latest samples of a topic. Not safe for several threads. */
final class TopicHistory {

    /** Number of samples kept: five minutes of them. */
    static final int MAX_SAMPLES = 60;

    private final Deque<Sample> samples = new ArrayDeque<>();
    private HistoryPoints points = HistoryPoints.NONE;

    private record Sample(Instant time, long acked, long deadLettered, long latenessMillis) {}

    void add(TopicStats stats) {
        if (samples.size() == MAX_SAMPLES) {
            samples.removeFirst();
        }
        samples.addLast(
                new Sample(stats.time(), stats.totals().acked(), stats.totals().deadLettered(), latenessMillis(stats)));
        points = summary();
    }

    HistoryPoints points() {
        return points;
    }

    private HistoryPoints summary() {
        List<@Nullable Double> rates = new ArrayList<>();
        List<Long> lateness = new ArrayList<>();
        Sample before = null;
        for (Sample sample : samples) {
            rates.add(before == null ? null : rate(before, sample));
            lateness.add(sample.latenessMillis);
            before = sample;
        }
        Sample first = samples.peekFirst();
        Sample last = samples.peekLast();
        if (first == null || last == null) {
            return HistoryPoints.NONE;
        }
        return new HistoryPoints(
                rates,
                lateness,
                rates.get(rates.size() - 1),
                Math.max(0, last.deadLettered - first.deadLettered),
                first.time);
    }

    private static @Nullable Double rate(Sample before, Sample after) {
        double seconds = Duration.between(before.time, after.time).toNanos() / 1e9;
        long acked = after.acked - before.acked;
        // Redis lost its data, or a failover turned its clock back
        return seconds <= 0 || acked < 0 ? null : Math.round(acked / seconds * 100) / 100.0;
    }

    /** Time since the oldest ready message was due; 0 if none is ready. */
    static long latenessMillis(TopicStats stats) {
        Instant oldest = stats.pending().oldestReady();
        return oldest == null
                ? 0
                : Math.max(0, Duration.between(oldest, stats.time()).toMillis());
    }
}
