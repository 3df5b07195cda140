package io.delayqueue.spring.actuate;

import io.delayqueue.PendingMessages.Position;
import io.delayqueue.spring.operator.UpcomingLoad;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of a read. A number that is too large for its answer is reduced; one that has no meaning is refused, and so is a
 * parameter that has none.
 *
 * @param topic a topic; null for all
 * @param id a message of the topic; null for the topic itself
 * @param view a part of the topic; null for the topic itself
 * @param after where a page of pending messages begins: {@code next} of the page before
 * @param offset number of dead letters to skip; null for 0
 * @param limit entries of a page; null for 100
 * @param bucket length of a load's bucket; null for a minute
 * @param buckets number of buckets of a load; null for 60
 */
record ReadRequest(
        @Nullable String topic,
        @Nullable String id,
        @Nullable DelayQueueView view,
        @Nullable String after,
        @Nullable Integer offset,
        @Nullable Integer limit,
        @Nullable Duration bucket,
        @Nullable Integer buckets) {

    /** Dead letters that can be skipped: to skip one is to read its key. */
    static final int MAX_OFFSET = 100_000;

    private static final int MAX_LIMIT = 500;
    private static final int DEFAULT_LIMIT = 100;
    private static final int DEFAULT_BUCKETS = 60;
    private static final char SEPARATOR = '/';

    /** For a topic, or a message of it. */
    static ReadRequest of(String topic, @Nullable String id) {
        return new ReadRequest(topic, id, null, null, null, null, null, null);
    }

    /** @throws IllegalArgumentException if a parameter is wrong */
    @Nullable
    DelayQueueDescriptor answer(TopicReader reader) {
        refuseWithout(DelayQueueView.PENDING, "after", after);
        refuseWithout(DelayQueueView.DEAD_LETTERS, "offset", offset);
        refuseWithout(DelayQueueView.LOAD, "bucket", bucket);
        refuseWithout(DelayQueueView.LOAD, "buckets", buckets);
        if (view == DelayQueueView.JOBS) {
            refuse("topic", topic, "has no meaning beside 'view=jobs'");
            refuse("limit", limit, "has no meaning beside 'view=jobs'");
            return reader.jobs();
        }
        if (topic == null) {
            refuse("id", id, "needs the parameter 'topic'");
            refuse("view", view, "needs the parameter 'topic'");
            refuse("limit", limit, "needs the parameter 'view'");
            return reader.topics();
        }
        if (view == null) {
            refuse("limit", limit, "needs the parameter 'view'");
            return id == null ? reader.topic(topic) : reader.message(topic, id);
        }
        if (view == DelayQueueView.STORY) {
            if (id == null) {
                throw new IllegalArgumentException("'view=story' needs the parameter 'id'");
            }
            return reader.story(topic, id);
        }
        refuse("id", id, "has no meaning beside 'view=" + view.text() + "'");
        return switch (view) {
            case PENDING -> reader.pending(topic, position(), entries());
            case IN_FLIGHT -> reader.inFlight(topic, entries());
            case DEAD_LETTERS -> reader.deadLetters(topic, skipped(), entries());
            case LOAD ->
                reader.load(
                        topic,
                        bucket == null ? Duration.ofMinutes(1) : bucket,
                        number("buckets", buckets, DEFAULT_BUCKETS, UpcomingLoad.MAX_BUCKETS));
            case ERRORS -> reader.errors(topic);
            case STORY, JOBS -> throw new IllegalStateException("answered before: " + view);
        };
    }

    private int skipped() {
        int skipped = offset == null ? 0 : offset;
        if (skipped < 0 || skipped > MAX_OFFSET) {
            throw new IllegalArgumentException(
                    "The parameter 'offset' must be from 0 to " + MAX_OFFSET + ", not " + skipped);
        }
        return skipped;
    }

    private int entries() {
        return number("limit", limit, DEFAULT_LIMIT, MAX_LIMIT);
    }

    private static int number(String name, @Nullable Integer value, int byDefault, int most) {
        if (value != null && value < 1) {
            throw new IllegalArgumentException("The parameter '" + name + "' must be at least 1, not " + value);
        }
        return value == null ? byDefault : Math.min(value, most);
    }

    static String text(Position position) {
        return position.due() + String.valueOf(SEPARATOR) + position.id();
    }

    private Position position() {
        if (after == null) {
            return Position.FIRST;
        }
        int end = after.indexOf(SEPARATOR);
        String due = end < 0 ? after : after.substring(0, end);
        try {
            return new Position(Instant.parse(due), end < 0 ? "" : after.substring(end + 1));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "The parameter 'after' must be 'next' of the page before, or a time such as 2026-11-22T12:00:00Z",
                    e);
        }
    }

    private void refuseWithout(DelayQueueView needed, String name, @Nullable Object value) {
        if (view != needed) {
            refuse(name, value, "needs 'view=" + needed.text() + "'");
        }
    }

    private static void refuse(String name, @Nullable Object value, String reason) {
        if (value != null) {
            throw new IllegalArgumentException("The parameter '" + name + "' " + reason);
        }
    }
}
