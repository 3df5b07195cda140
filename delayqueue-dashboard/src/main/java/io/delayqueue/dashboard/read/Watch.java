package io.delayqueue.dashboard.read;

import io.delayqueue.TopicStats;
import io.delayqueue.dashboard.read.Attention.Kind;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

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

    static List<Attention> of(TopicStats stats, HistoryPoints history, List<DelayQueueListenerContainer> listeners) {
        List<Attention> found = new ArrayList<>();
        String topic = stats.topic();
        long ready = stats.pending().ready();
        boolean late = TopicHistory.latenessMillis(stats) >= OVERDUE.toMillis();
        if (stats.paused()) {
            found.add(new Attention(Kind.PAUSED, topic, ready, stats.pending().oldestReady(), null));
        } else if (late) {
            found.add(new Attention(Kind.OVERDUE, topic, ready, stats.pending().oldestReady(), null));
        }
        if (history.newDead() > 0) {
            found.add(new Attention(Kind.DEAD_GROWING, topic, history.newDead(), history.since(), null));
        }
        if (stats.unaccounted() != 0) {
            found.add(new Attention(Kind.UNACCOUNTED, topic, stats.unaccounted(), null, null));
        }
        for (DelayQueueListenerContainer listener : listeners) {
            if (!listener.isRunning() && listener.isAutoStartup()) {
                found.add(new Attention(Kind.LISTENER_STOPPED, topic, ready, null, listener.id()));
            } else if (!listener.isHealthy()) {
                found.add(new Attention(Kind.LISTENER_UNHEALTHY, topic, ready, null, listener.id()));
            }
        }
        found.sort(WORST_FIRST);
        return List.copyOf(found);
    }
}
