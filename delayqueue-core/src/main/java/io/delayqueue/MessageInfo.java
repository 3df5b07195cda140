package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message as it stands in Redis. Immutable, but for the bytes of its payload. */
public final class MessageInfo {

    private final String topic;
    private final String id;
    private final String generation;
    private final MessageState state;
    private final Instant time;
    private final @Nullable Instant due;
    private final int attempt;
    private final @Nullable Integer maxAttempts;
    private final @Nullable Duration timeToLive;
    private final Instant scheduledAt;
    private final @Nullable Instant leaseDeadline;
    private final @Nullable Instant deadLetteredAt;
    private final @Nullable String error;
    private final int priority;
    private final Map<String, String> headers;
    private final byte[] payload;

    private MessageInfo(Builder builder) {
        topic = builder.topic;
        id = builder.id;
        generation = builder.generation;
        state = builder.state;
        time = builder.time;
        due = builder.due;
        attempt = builder.attempt;
        maxAttempts = builder.maxAttempts;
        timeToLive = builder.timeToLive;
        scheduledAt = builder.scheduledAt;
        leaseDeadline = builder.leaseDeadline;
        deadLetteredAt = builder.deadLetteredAt;
        error = builder.error;
        priority = builder.priority;
        headers = builder.headers;
        payload = builder.payload;
    }

    /** Begins a message; for tests of code that calls {@link DelayQueueClient#find}. */
    public static Builder of(String topic, String id, MessageState state) {
        return new Builder(topic, id, state);
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** The id, unique in its topic. */
    public String id() {
        return id;
    }

    /** Tells the message from others that have had its id; see {@link OutgoingMessage#generation()}. */
    public String generation() {
        return generation;
    }

    /** The state at {@link #time()}. */
    public MessageState state() {
        return state;
    }

    /** Redis' clock when the message was looked up. */
    public Instant time() {
        return time;
    }

    /** The due time; null unless the message is scheduled or ready. */
    public @Nullable Instant due() {
        return due;
    }

    /** Attempts made or under way: 0 before the first. */
    public int attempt() {
        return attempt;
    }

    /** The message's own maximum of attempts; null for the consumer's. */
    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    /** Time after the due time in which an attempt may begin; null for no limit. */
    public @Nullable Duration timeToLive() {
        return timeToLive;
    }

    /** Time of the {@code schedule} call, by the clock of the client that made it. */
    public Instant scheduledAt() {
        return scheduledAt;
    }

    /** Time at which the lease ends unless it is renewed; null unless the message is in flight. */
    public @Nullable Instant leaseDeadline() {
        return leaseDeadline;
    }

    /** Time at which it became a dead letter, by Redis' clock; null unless the message is dead. */
    public @Nullable Instant deadLetteredAt() {
        return deadLetteredAt;
    }

    /** The error of the last attempt, at most 2,000 characters; null unless the message is dead. */
    public @Nullable String error() {
        return error;
    }

    /** The priority: 0 to 9. */
    public int priority() {
        return priority;
    }

    /** The headers, unmodifiable. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The payload's bytes, not copied: don't change them. */
    public byte[] payload() {
        return payload;
    }

    @Override
    public String toString() {
        return "MessageInfo[topic=" + topic + ", id=" + id + ", state=" + state + ", due=" + due + ", attempt="
                + attempt + ", payload of " + payload.length + " bytes]";
    }

    /** Collects what is known of a message. Properties not set are null, 0 or empty; times default to the epoch. */
    public static final class Builder {

        private final String topic;
        private final String id;
        private final MessageState state;
        private String generation = "";
        private Instant time = Instant.EPOCH;
        private @Nullable Instant due;
        private int attempt;
        private @Nullable Integer maxAttempts;
        private @Nullable Duration timeToLive;
        private Instant scheduledAt = Instant.EPOCH;
        private @Nullable Instant leaseDeadline;
        private @Nullable Instant deadLetteredAt;
        private @Nullable String error;
        private int priority = OutgoingMessage.DEFAULT_PRIORITY;
        private Map<String, String> headers = Map.of();
        private byte[] payload = {};

        private Builder(String topic, String id, MessageState state) {
            this.topic = Objects.requireNonNull(topic, "topic");
            this.id = Objects.requireNonNull(id, "id");
            this.state = Objects.requireNonNull(state, "state");
        }

        /** See {@link MessageInfo#generation()}. */
        public Builder generation(String newGeneration) {
            generation = Objects.requireNonNull(newGeneration, "generation");
            return this;
        }

        /** See {@link MessageInfo#time()}. */
        public Builder time(Instant newTime) {
            time = Objects.requireNonNull(newTime, "time");
            return this;
        }

        /** See {@link MessageInfo#due()}. */
        public Builder due(@Nullable Instant newDue) {
            due = newDue;
            return this;
        }

        /** See {@link MessageInfo#attempt()}. */
        public Builder attempt(int newAttempt) {
            attempt = newAttempt;
            return this;
        }

        /** See {@link MessageInfo#maxAttempts()}. */
        public Builder maxAttempts(@Nullable Integer newMaxAttempts) {
            maxAttempts = newMaxAttempts;
            return this;
        }

        /** See {@link MessageInfo#timeToLive()}. */
        public Builder timeToLive(@Nullable Duration newTimeToLive) {
            timeToLive = newTimeToLive;
            return this;
        }

        /** See {@link MessageInfo#scheduledAt()}. */
        public Builder scheduledAt(Instant newScheduledAt) {
            scheduledAt = Objects.requireNonNull(newScheduledAt, "scheduledAt");
            return this;
        }

        /** See {@link MessageInfo#leaseDeadline()}. */
        public Builder leaseDeadline(@Nullable Instant newLeaseDeadline) {
            leaseDeadline = newLeaseDeadline;
            return this;
        }

        /** See {@link MessageInfo#deadLetteredAt()}. */
        public Builder deadLetteredAt(@Nullable Instant newDeadLetteredAt) {
            deadLetteredAt = newDeadLetteredAt;
            return this;
        }

        /** See {@link MessageInfo#error()}. */
        public Builder error(@Nullable String newError) {
            error = newError;
            return this;
        }

        /** See {@link MessageInfo#priority()}. */
        public Builder priority(int newPriority) {
            priority = newPriority;
            return this;
        }

        /** See {@link MessageInfo#headers()}. */
        public Builder headers(Map<String, String> newHeaders) {
            headers = Map.copyOf(newHeaders);
            return this;
        }

        /** See {@link MessageInfo#payload()}. */
        public Builder payload(byte[] newPayload) {
            payload = Objects.requireNonNull(newPayload, "payload");
            return this;
        }

        /** The message. */
        public MessageInfo build() {
            return new MessageInfo(this);
        }
    }
}
