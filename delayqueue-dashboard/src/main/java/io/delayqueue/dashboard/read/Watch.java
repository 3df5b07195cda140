package io.delayqueue.dashboard.read;

import io.delayqueue.TopicStats;
import io.delayqueue.dashboard.read.Attention.Kind;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds what needs attention. */
final class Watch {

    /** A consumer that is up claims a message within milliseconds of its due time. */
    static final Duration OVERDUE = Duration.ofSeconds(10);

    /** Worst kind first; of one kind, the oldest, then the largest. */
    static final Comparator<Attention> WORST_FIRST = Comparator.comparing(Attention::kind)
            .thenComparing(Attention::since, Comparator.nullsLast(Comparator.naturalOrder()))
            .thenComparing(Comparator.comparingLong(Attention::count).reversed())
            .thenComparing(Attention::topic);

    private Watch() {}

    static List<Attention> of(
            TopicStats stats,
            HistoryPoints history,
            List<DelayQueueListenerContainer> listeners,
            @Nullable ExpiredLease lease) {
        List<Attention> found = new ArrayList<>();
        String topic = stats.topic();
        long ready = stats.pending().ready();
        boolean late = TopicHistory.latenessMillis(stats) >= OVERDUE.toMillis();
        if (stats.paused()) {
            found.add(new Attention(Kind.PAUSED, topic, ready, stats.pending().oldestReady(), null, null));
        } else if (late) {
            found.add(new Attention(Kind.OVERDUE, topic, ready, stats.pending().oldestReady(), null, null));
        }
        if (lease != null && stats.inFlight() > 0 && !stats.paused()) {
            found.add(
                    new Attention(Kind.LEASES_EXPIRED, topic, stats.inFlight(), lease.ended(), null, lease.instance()));
        }
        if (history.newDead() > 0) {
            found.add(new Attention(Kind.DEAD_GROWING, topic, history.newDead(), history.since(), null, null));
        }
        if (stats.unaccounted() != 0) {
            found.add(new Attention(Kind.UNACCOUNTED, topic, stats.unaccounted(), null, null, null));
        }
        for (DelayQueueListenerContainer listener : listeners) {
            if (!listener.isRunning() && listener.isAutoStartup()) {
                found.add(new Attention(Kind.LISTENER_STOPPED, topic, ready, null, listener.id(), null));
            } else if (!listener.isHealthy()) {
                found.add(new Attention(Kind.LISTENER_UNHEALTHY, topic, ready, null, listener.id(), null));
            }
        }
        found.sort(WORST_FIRST);
        return List.copyOf(found);
    }
}
