package io.delayqueue.dashboard.read;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The latest samples of a topic, oldest first.
 *
 * @param rate messages acked in a second, at each sample; null where it is unknown
 * @param lateness milliseconds for which the oldest ready message was late, at each sample
 * @param latestRate the last of the rates; null if unknown
 * @param newDead number of messages that became dead letters between the first sample and the last
 * @param since time of the first sample, by Redis' clock; null if there is none
 */
public record HistoryPoints(
        List<@Nullable Double> rate,
        List<Long> lateness,
        @Nullable Double latestRate,
        long newDead,
        @Nullable Instant since) {

    static final HistoryPoints NONE = new HistoryPoints(List.of(), List.of(), null, 0, null);
}
