package io.delayqueue.dashboard.http;

import io.delayqueue.dashboard.read.Attention;
import io.delayqueue.dashboard.read.DashboardReader;
import io.delayqueue.dashboard.read.TopicRow;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The latest samples of a topic, and what needs attention. */
record HistoryView(long sampleMillis, List<@Nullable Double> rate, List<Long> lateness, List<Attention> attention) {

    static HistoryView of(TopicRow row) {
        return new HistoryView(
                DashboardReader.SAMPLE_INTERVAL.toMillis(),
                row.history().rate(),
                row.history().lateness(),
                row.attention());
    }
}
