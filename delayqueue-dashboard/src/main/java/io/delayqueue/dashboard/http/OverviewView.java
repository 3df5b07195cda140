package io.delayqueue.dashboard.http;

import io.delayqueue.TopicStats;
import io.delayqueue.dashboard.read.Attention;
import io.delayqueue.dashboard.read.Attention.Kind;
import io.delayqueue.dashboard.read.DashboardReader;
import io.delayqueue.dashboard.read.Overview;
import io.delayqueue.dashboard.read.TopicRow;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A page of the topics, and what needs attention in all. */
record OverviewView(
        Instant asOf,
        List<Row> topics,
        int matching,
        int total,
        long sampleMillis,
        Sum sum,
        List<Attention> attention,
        int attentionTotal,
        List<String> missing,
        int missingTotal) {

    private static final int MAX_SENTENCES = 20;

    record Row(
            String topic,
            boolean paused,
            long scheduled,
            long ready,
            long inFlight,
            long dead,
            @Nullable Instant oldestReady,
            @Nullable Instant nextDue,
            long latenessMillis,
            @Nullable Double ratePerSecond,
            int listeners,
            List<@Nullable Double> rate,
            List<Long> lateness,
            List<Kind> attention) {

        static Row of(TopicRow row) {
            TopicStats stats = row.stats();
            return new Row(
                    row.topic(),
                    stats.paused(),
                    stats.pending().scheduled(),
                    stats.pending().ready(),
                    stats.inFlight(),
                    stats.dead(),
                    stats.pending().oldestReady(),
                    stats.pending().nextDue(),
                    row.latenessMillis(),
                    row.history().latestRate(),
                    row.listeners(),
                    row.history().rate(),
                    row.history().lateness(),
                    row.attention().stream().map(Attention::kind).distinct().toList());
        }
    }

    record Sum(
            long scheduled,
            long ready,
            long inFlight,
            long dead,
            @Nullable Double ratePerSecond) {

        static Sum of(List<TopicRow> rows) {
            List<Double> rates = rows.stream()
                    .map(row -> row.history().latestRate())
                    .filter(Objects::nonNull)
                    .toList();
            return new Sum(
                    rows.stream()
                            .mapToLong(row -> row.stats().pending().scheduled())
                            .sum(),
                    rows.stream()
                            .mapToLong(row -> row.stats().pending().ready())
                            .sum(),
                    rows.stream().mapToLong(row -> row.stats().inFlight()).sum(),
                    rows.stream().mapToLong(row -> row.stats().dead()).sum(),
                    rates.isEmpty()
                            ? null
                            : Math.round(rates.stream()
                                                    .mapToDouble(rate -> rate)
                                                    .sum()
                                            * 100)
                                    / 100.0);
        }
    }

    static OverviewView of(Overview overview, OverviewQuery query) {
        List<TopicRow> matching = query.matching(overview);
        return new OverviewView(
                overview.asOf(),
                query.page(matching).stream().map(Row::of).toList(),
                matching.size(),
                overview.rows().size() + overview.missing().size(),
                DashboardReader.SAMPLE_INTERVAL.toMillis(),
                Sum.of(overview.rows()),
                overview.attention().stream().limit(MAX_SENTENCES).toList(),
                overview.attention().size(),
                overview.missing().stream().sorted().limit(MAX_SENTENCES).toList(),
                overview.missing().size());
    }
}
