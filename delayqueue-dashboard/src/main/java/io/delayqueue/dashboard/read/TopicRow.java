package io.delayqueue.dashboard.read;

import io.delayqueue.TopicStats;
import java.util.List;

/**
 * A topic in the overview.
 *
 * @param stats its numbers
 * @param latenessMillis time for which its oldest ready message is late; 0 if none is ready
 * @param listeners number of its listeners in this process
 * @param history its latest samples
 * @param attention what needs attention, worst first
 */
public record TopicRow(
        TopicStats stats, long latenessMillis, int listeners, HistoryPoints history, List<Attention> attention) {

    /** The topic's name. */
    public String topic() {
        return stats.topic();
    }
}
