package io.delayqueue.dashboard.http;

import io.delayqueue.TopicStats;
import io.delayqueue.dashboard.read.TopicRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The numbers of a topic. */
record StatsView(
        Instant time,
        boolean paused,
        long scheduled,
        long ready,
        long inFlight,
        long dead,
        @Nullable Instant oldestReady,
        @Nullable Instant nextDue,
        long latenessMillis,
        TopicStats.Totals totals,
        long unaccounted) {

    static StatsView of(TopicRow row) {
        TopicStats stats = row.stats();
        return new StatsView(
                stats.time(),
                stats.paused(),
                stats.pending().scheduled(),
                stats.pending().ready(),
                stats.inFlight(),
                stats.dead(),
                stats.pending().oldestReady(),
                stats.pending().nextDue(),
                row.latenessMillis(),
                stats.totals(),
                stats.unaccounted());
    }
}
