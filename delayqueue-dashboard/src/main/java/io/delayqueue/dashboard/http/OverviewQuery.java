package io.delayqueue.dashboard.http;

import io.delayqueue.dashboard.read.Overview;
import io.delayqueue.dashboard.read.TopicRow;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * A request for a page of all topics.
 *
 * @param part part of the topics' names, in any case; empty for all
 * @param sort name of the order; with a minus sign turned round
 * @param offset number of topics to skip
 * @param limit largest number of topics
 */
record OverviewQuery(String part, String sort, int offset, int limit) {

    private static final int MAX_LIMIT = 200;
    private static final int MAX_OFFSET = 100_000;
    private static final Comparator<TopicRow> BY_NAME = Comparator.comparing(TopicRow::topic);

    OverviewQuery {
        Parameters.require("limit", limit, 1, MAX_LIMIT);
        Parameters.require("offset", offset, 0, MAX_OFFSET);
    }

    List<TopicRow> matching(Overview overview) {
        String wanted = part.toLowerCase(Locale.ROOT);
        return overview.rows().stream()
                .filter(row -> row.topic().toLowerCase(Locale.ROOT).contains(wanted))
                .toList();
    }

    List<TopicRow> page(List<TopicRow> matching) {
        return matching.stream().sorted(order()).skip(offset).limit(limit).toList();
    }

    private Comparator<TopicRow> order() {
        boolean reversed = sort.startsWith("-");
        Comparator<TopicRow> order = order(reversed ? sort.substring(1) : sort);
        return (reversed ? order.reversed() : order).thenComparing(BY_NAME);
    }

    private static Comparator<TopicRow> order(String name) {
        return switch (name) {
            case "attention" ->
                Comparator.comparingInt(OverviewQuery::worst)
                        .thenComparing(largestFirst(TopicRow::latenessMillis))
                        .thenComparing(BY_NAME);
            case "name" -> BY_NAME;
            case "scheduled" -> largestFirst(row -> row.stats().pending().scheduled());
            case "ready" -> largestFirst(row -> row.stats().pending().ready());
            case "inFlight" -> largestFirst(row -> row.stats().inFlight());
            case "dead" -> largestFirst(row -> row.stats().dead());
            case "lateness" -> largestFirst(TopicRow::latenessMillis);
            case "rate" -> Comparator.comparingDouble(OverviewQuery::rate).reversed();
            default ->
                throw ProblemException.invalid("sort must be attention, name, scheduled, ready, inFlight, dead,"
                        + " lateness or rate, or one of these after a minus sign");
        };
    }

    private static Comparator<TopicRow> largestFirst(ToLongFunction<TopicRow> number) {
        return Comparator.comparingLong(number).reversed();
    }

    private static int worst(TopicRow row) {
        return row.attention().isEmpty()
                ? Integer.MAX_VALUE
                : row.attention().get(0).kind().ordinal();
    }

    private static double rate(TopicRow row) {
        Double rate = row.history().latestRate();
        return rate == null ? -1 : rate;
    }
}
