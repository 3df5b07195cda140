package io.delayqueue.dashboard.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.TopicStats;
import io.delayqueue.TopicStats.Pending;
import io.delayqueue.TopicStats.Totals;
import io.delayqueue.dashboard.read.Attention.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Reasons for attention, from the numbers of a topic. */
class WatchTests {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Pending ON_TIME = new Pending(5, 2, NOW.minusSeconds(9), NOW.plusSeconds(1));
    private static final Pending LATE = new Pending(5, 2, NOW.minusSeconds(10), NOW.plusSeconds(1));
    private static final ExpiredLease LEASE = new ExpiredLease(NOW.minusSeconds(30), "web-1:4711");

    private static TopicStats stats(Pending pending, long lost, boolean paused) {
        return new TopicStats("t", pending, 3, 0, new Totals(10 + lost, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), NOW, paused);
    }

    private static HistoryPoints newlyDead(long newDead) {
        return new HistoryPoints(List.of(), List.of(), null, newDead, NOW.minusSeconds(300));
    }

    private static List<Attention> found(TopicStats stats, HistoryPoints history, @Nullable ExpiredLease lease) {
        return Watch.of(stats, history, List.of(), lease);
    }

    @Test
    void messagesAreOverdueAfterTenSeconds() {
        assertThat(Watch.OVERDUE).isEqualTo(Duration.ofSeconds(10));
        assertThat(found(stats(ON_TIME, 0, false), newlyDead(0), null)).isEmpty();
        assertThat(found(stats(LATE, 0, false), newlyDead(0), null))
                .containsExactly(new Attention(Kind.OVERDUE, "t", 2, NOW.minusSeconds(10), null, null));
    }

    @Test
    void pausedTopicIsNotOverdue() {
        assertThat(found(stats(LATE, 0, true), newlyDead(0), LEASE))
                .containsExactly(new Attention(Kind.PAUSED, "t", 2, NOW.minusSeconds(10), null, null));
    }

    @Test
    void newDeadLettersAreCounted() {
        assertThat(found(stats(ON_TIME, 0, false), newlyDead(4), null))
                .containsExactly(new Attention(Kind.DEAD_GROWING, "t", 4, NOW.minusSeconds(300), null, null));
    }

    @Test
    void instanceThatStoppedIsNamed() {
        assertThat(found(stats(ON_TIME, 0, false), newlyDead(0), LEASE))
                .containsExactly(new Attention(Kind.LEASES_EXPIRED, "t", 3, NOW.minusSeconds(30), null, "web-1:4711"));
    }

    @Test
    void totalsThatDoNotAddUpAreReported() {
        assertThat(found(stats(ON_TIME, 2, false), newlyDead(0), null))
                .containsExactly(new Attention(Kind.UNACCOUNTED, "t", 2, null, null, null));
    }

    @Test
    void worstKindComesFirst() {
        assertThat(found(stats(LATE, 2, false), newlyDead(4), LEASE).stream().map(Attention::kind))
                .containsExactly(Kind.OVERDUE, Kind.LEASES_EXPIRED, Kind.DEAD_GROWING, Kind.UNACCOUNTED);
        assertThat(Stream.of(
                                new Attention(Kind.PAUSED, "a", 1, null, null, null),
                                new Attention(Kind.OVERDUE, "b", 1, NOW, null, null),
                                new Attention(Kind.OVERDUE, "c", 9, NOW, null, null),
                                new Attention(Kind.OVERDUE, "d", 1, NOW.minusSeconds(1), null, null))
                        .sorted(Watch.WORST_FIRST)
                        .map(Attention::topic))
                .containsExactly("d", "c", "b", "a");
    }
}
