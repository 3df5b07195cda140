package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.JournalPosition;
import io.delayqueue.jdbc.JournalQuery;
import io.delayqueue.jdbc.MessageStatus;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * Parameters of a request.
 *
 * @param topic a topic; null for all
 * @param id an id of the topic: its story is asked for
 * @param key a value of the header that is declared as business key
 * @param status states of the messages to find; null for all
 * @param from earliest due time, or time of creation of a business key's messages
 * @param to end of that time, exclusive
 * @param after where the page begins: {@code next} of the page before
 * @param limit messages of a page
 */
record JournalRequest(
        @Nullable String topic,
        @Nullable String id,
        @Nullable String key,
        MessageStatus @Nullable [] status,
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable String after,
        @Nullable Integer limit) {

    /** Messages of a page unless the request tells a number. */
    private static final int DEFAULT_LIMIT = 100;

    @Nullable
    JournalDescriptor answer(JournalReports reports, boolean withValues) {
        if (id != null) {
            if (topic == null) {
                throw new InvalidEndpointRequestException(
                        "parameter 'id' without 'topic'", "The parameter 'id' needs the parameter 'topic'");
            }
            return reports.story(topic, id, withValues);
        }
        boolean isSearch = Stream.of(topic, key, status, from, to, after, limit).anyMatch(Objects::nonNull);
        return isSearch ? reports.search(this::query, withValues) : reports.status(withValues);
    }

    private JournalQuery query() {
        JournalQuery.Builder query;
        if (key != null) {
            query = JournalQuery.ofBusinessKey(key);
            if (topic != null) {
                query.topic(topic);
            }
        } else if (topic != null) {
            query = JournalQuery.ofTopic(topic);
        } else {
            throw new IllegalArgumentException("a search needs the parameter 'topic' or 'key'");
        }
        return query.statuses(status == null ? new MessageStatus[0] : status)
                .from(from)
                .to(to)
                .after(after == null ? null : JournalPosition.decode(after))
                .limit(limit == null ? DEFAULT_LIMIT : limit)
                .build();
    }
}
