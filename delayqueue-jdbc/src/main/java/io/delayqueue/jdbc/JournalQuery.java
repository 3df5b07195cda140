package io.delayqueue.jdbc;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A search in the journal: of a topic, in the order of due times, or of a business key, in the order of creation. Each uses an index.
 *
 * @param topic the topic; null for all topics of a business key
 * @param businessKey value of the header that is declared as business key; null for none
 * @param statuses states of the messages
 * @param from earliest due time, or time of creation of a business key's messages; null for any
 * @param to end of that time, exclusive; null for any
 * @param after where the page begins; null for the first page
 * @param limit messages of a page: 1 to {@value #MAX_LIMIT}
 */
public record JournalQuery(
        @Nullable String topic,
        @Nullable String businessKey,
        Set<MessageStatus> statuses,
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable JournalPosition after,
        int limit) {

    /** Largest page. */
    public static final int MAX_LIMIT = 500;

    public JournalQuery {
        if (topic == null && businessKey == null) {
            throw new IllegalArgumentException("a search in the journal needs a topic or a business key");
        }
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit must be from 1 to " + MAX_LIMIT + ", not " + limit);
        }
        if (statuses.contains(MessageStatus.OTHER)) {
            throw new IllegalArgumentException(
                    "the status OTHER stands for states of newer versions, and can't be searched for");
        }
        statuses = Set.copyOf(statuses);
    }

    /** Messages of a topic. */
    public static Builder ofTopic(String topic) {
        return new Builder(Objects.requireNonNull(topic, "topic"), null);
    }

    /** Messages with a value of the header that is declared as business key, of all topics unless one is named. */
    public static Builder ofBusinessKey(String businessKey) {
        return new Builder(null, Objects.requireNonNull(businessKey, "businessKey"));
    }

    /** The query of the next page. */
    public JournalQuery after(@Nullable JournalPosition position) {
        return new JournalQuery(topic, businessKey, statuses, from, to, position, limit);
    }

    /** Collects a query: all states and times by default, 100 messages a page. Not safe for use by several threads. */
    public static final class Builder {

        private @Nullable String topic;
        private final @Nullable String businessKey;
        private Set<MessageStatus> statuses = EnumSet.complementOf(EnumSet.of(MessageStatus.OTHER));
        private @Nullable Instant from;
        private @Nullable Instant to;
        private @Nullable JournalPosition after;
        private int limit = 100;

        private Builder(@Nullable String topic, @Nullable String businessKey) {
            this.topic = topic;
            this.businessKey = businessKey;
        }

        /** Only messages of this topic. */
        public Builder topic(String newTopic) {
            topic = Objects.requireNonNull(newTopic, "topic");
            return this;
        }

        /** Only messages in these states; none for all. */
        public Builder statuses(MessageStatus... newStatuses) {
            if (newStatuses.length > 0) {
                statuses = Set.of(newStatuses);
            }
            return this;
        }

        /** See {@link JournalQuery#from()}. */
        public Builder from(@Nullable Instant newFrom) {
            from = newFrom;
            return this;
        }

        /** See {@link JournalQuery#to()}. */
        public Builder to(@Nullable Instant newTo) {
            to = newTo;
            return this;
        }

        /** See {@link JournalQuery#after()}. */
        public Builder after(@Nullable JournalPosition newAfter) {
            after = newAfter;
            return this;
        }

        /** See {@link JournalQuery#limit()}. */
        public Builder limit(int newLimit) {
            limit = newLimit;
            return this;
        }

        /** The query. */
        public JournalQuery build() {
            return new JournalQuery(topic, businessKey, statuses, from, to, after, limit);
        }
    }
}
