package io.delayqueue.dashboard.http;

import io.delayqueue.DeadLetters;
import io.delayqueue.PendingMessages;
import io.delayqueue.PendingMessages.Position;
import io.delayqueue.dashboard.read.PagePosition;
import io.delayqueue.dashboard.read.TopicPart;
import io.delayqueue.spring.operator.UpcomingLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The parameters of a request for a topic, checked, with defaults. */
final class TopicRequest {

    static final Set<String> PARTS =
            Set.of("stats", "history", "load", "pending", "inFlight", "dead", "errors", "listeners", "jobs");

    private static final int MAX_PAGE = 200;
    private static final int MAX_OFFSET = 10_000;

    private final Set<String> parts;
    private final long bucketMillis;
    private final int buckets;
    private final @Nullable String pendingAfter;
    private final int pendingLimit;
    private final int deadOffset;
    private final int deadLimit;
    private final int inFlightLimit;

    TopicRequest(
            @Nullable Set<String> parts,
            @Nullable Long bucketMillis,
            @Nullable Integer buckets,
            @Nullable String pendingAfter,
            @Nullable Integer pendingLimit,
            @Nullable Integer deadOffset,
            @Nullable Integer deadLimit,
            @Nullable Integer inFlightLimit) {
        this.parts = parts == null || parts.isEmpty() ? PARTS : parts;
        this.bucketMillis = bucketMillis == null ? 60_000 : bucketMillis;
        this.buckets = buckets == null ? 60 : buckets;
        this.pendingAfter = pendingAfter;
        this.pendingLimit = pendingLimit == null ? 50 : pendingLimit;
        this.deadOffset = deadOffset == null ? 0 : deadOffset;
        this.deadLimit = deadLimit == null ? 20 : deadLimit;
        this.inFlightLimit = inFlightLimit == null ? 50 : inFlightLimit;
        check();
    }

    private void check() {
        for (String part : parts) {
            if (!PARTS.contains(part)) {
                throw ProblemException.invalid("parts must be some of " + String.join(", ", new TreeSet<>(PARTS)));
            }
        }
        Parameters.require("bucketMillis", bucketMillis, 1, UpcomingLoad.MAX_BUCKET.toMillis());
        Parameters.require("buckets", buckets, 1, UpcomingLoad.MAX_BUCKETS);
        Parameters.require("pendingLimit", pendingLimit, 1, Math.min(MAX_PAGE, PendingMessages.MAX_PAGE_SIZE));
        Parameters.require("deadOffset", deadOffset, 0, MAX_OFFSET);
        Parameters.require("deadLimit", deadLimit, 1, Math.min(MAX_PAGE, DeadLetters.MAX_PAGE_SIZE));
        Parameters.require("inFlightLimit", inFlightLimit, 1, MAX_PAGE);
    }

    boolean has(String part) {
        return parts.contains(part);
    }

    /** Those that are read, but for the topic's numbers, which always are. */
    List<TopicPart> reads(String topic) {
        List<TopicPart> reads = new ArrayList<>();
        if (has("load")) {
            reads.add(new TopicPart.Load(topic, Duration.ofMillis(bucketMillis), buckets));
        }
        if (has("pending")) {
            Position after = pendingAfter == null ? Position.FIRST : PagePosition.of(pendingAfter);
            reads.add(new TopicPart.Pending(topic, after, pendingLimit));
        }
        if (has("inFlight")) {
            reads.add(new TopicPart.InFlight(topic, inFlightLimit));
        }
        if (has("dead")) {
            reads.add(new TopicPart.Dead(topic, deadOffset, deadLimit));
        }
        if (has("errors")) {
            reads.add(new TopicPart.Errors(topic));
        }
        if (has("listeners")) {
            reads.add(new TopicPart.Listeners(topic));
        }
        if (has("jobs")) {
            reads.add(new TopicPart.Jobs(topic));
        }
        return reads;
    }
}
