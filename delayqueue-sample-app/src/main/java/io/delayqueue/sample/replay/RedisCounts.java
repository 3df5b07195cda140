package io.delayqueue.sample.replay;

import io.delayqueue.TopicStats;
import java.util.Locale;

/** Redis' counts of the timeouts. */
record RedisCounts(
        long accepted, long acked, long cancelled, long pending, long inFlight, long dead, long unaccounted) {

    static RedisCounts of(TopicStats stats) {
        return new RedisCounts(
                stats.totals().accepted(),
                stats.totals().acked(),
                stats.totals().cancelled(),
                stats.pending().total(),
                stats.inFlight(),
                stats.dead(),
                stats.unaccounted());
    }

    /** The growth since an earlier moment. */
    RedisCounts since(RedisCounts earlier) {
        return new RedisCounts(
                accepted - earlier.accepted,
                acked - earlier.acked,
                cancelled - earlier.cancelled,
                pending - earlier.pending,
                inFlight - earlier.inFlight,
                dead - earlier.dead,
                unaccounted);
    }

    String line() {
        return String.format(
                Locale.ROOT,
                "Redis counted: %,d accepted = %,d acked + %,d cancelled + %,d pending + %,d in flight + %,d dead%s",
                accepted,
                acked,
                cancelled,
                pending,
                inFlight,
                dead,
                unaccounted == 0 ? "" : "; " + unaccounted + " UNACCOUNTED");
    }
}
