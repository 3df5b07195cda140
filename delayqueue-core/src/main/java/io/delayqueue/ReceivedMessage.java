package io.delayqueue;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/** A message delivered to a handler. Immutable, but for the bytes of its payload. */
public final class ReceivedMessage {

    private final String topic;
    private final String id;
    private final byte[] payload;
    private final Map<String, String> headers;
    private final int attempt;
    private final int maxAttempts;
    private final Instant due;
    private final int priority;
    private final String generation;

    private ReceivedMessage(Builder builder) {
        topic = builder.topic;
        id = builder.id;
        payload = builder.payload;
        headers = builder.headers;
        attempt = builder.attempt;
        maxAttempts = builder.maxAttempts;
        due = builder.due;
        priority = builder.priority;
        generation = builder.generation;
    }

    /** Begins a message; for tests of handlers. */
    public static Builder of(String topic, String id) {
        return new Builder(topic, id);
    }

    /** Begins a message that has the properties of this one; for code around handlers that hands on a changed message. */
    public Builder toBuilder() {
        return new Builder(topic, id)
                .payload(payload)
                .headers(headers)
                .attempt(attempt)
                .maxAttempts(maxAttempts)
                .due(due)
                .priority(priority)
                .generation(generation);
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** The id, unique in its topic. */
    public String id() {
        return id;
    }

    /** The payload's bytes, not copied: don't change them. */
    public byte[] payload() {
        return payload;
    }

    /** The headers, unmodifiable. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The number of this attempt, from 1; failures and crashes count as attempts, releases before a handler began don't. */
    public int attempt() {
        return attempt;
    }

    /** The number of attempts after which the message is dead-lettered. */
    public int maxAttempts() {
        return maxAttempts;
    }

    /** The due time, by Redis' clock. */
    public Instant due() {
        return due;
    }

    /** The priority: 0 to 9. */
    public int priority() {
        return priority;
    }

    /** Tells the message from others that have had its id; see {@link OutgoingMessage#generation()}. */
    public String generation() {
        return generation;
    }

    /** Topic, id, attempt, due time and size, but never the payload. */
    @Override
    public String toString() {
        return "ReceivedMessage[topic=" + topic + ", id=" + id + ", attempt=" + attempt + " of " + maxAttempts
                + ", due=" + due + ", " + payload.length + " bytes]";
    }

    /**
     * Collects a message's properties. Those not set are: an empty payload, no headers, attempt 1 of
     * {@value ConsumerOptions#DEFAULT_MAX_ATTEMPTS}, due at the epoch, priority {@value OutgoingMessage#DEFAULT_PRIORITY}, and an empty
     * generation.
     */
    public static final class Builder {

        private static final byte[] NO_PAYLOAD = {};

        private final String topic;
        private final String id;
        private byte[] payload = NO_PAYLOAD;
        private Map<String, String> headers = Map.of();
        private int attempt = 1;
        private int maxAttempts = ConsumerOptions.DEFAULT_MAX_ATTEMPTS;
        private Instant due = Instant.EPOCH;
        private int priority = OutgoingMessage.DEFAULT_PRIORITY;
        private String generation = "";

        private Builder(String topic, String id) {
            this.topic = Objects.requireNonNull(topic, "topic");
            this.id = Objects.requireNonNull(id, "id");
        }

        /** See {@link ReceivedMessage#payload()}. */
        public Builder payload(byte[] newPayload) {
            payload = Objects.requireNonNull(newPayload, "payload");
            return this;
        }

        /** See {@link ReceivedMessage#headers()}. */
        public Builder headers(Map<String, String> newHeaders) {
            headers = Map.copyOf(newHeaders);
            return this;
        }

        /** See {@link ReceivedMessage#attempt()}. */
        public Builder attempt(int newAttempt) {
            attempt = newAttempt;
            return this;
        }

        /** See {@link ReceivedMessage#maxAttempts()}. */
        public Builder maxAttempts(int newMaxAttempts) {
            maxAttempts = newMaxAttempts;
            return this;
        }

        /** See {@link ReceivedMessage#due()}. */
        public Builder due(Instant newDue) {
            due = Objects.requireNonNull(newDue, "due");
            return this;
        }

        /** See {@link ReceivedMessage#priority()}. */
        public Builder priority(int newPriority) {
            priority = newPriority;
            return this;
        }

        /** See {@link ReceivedMessage#generation()}. */
        public Builder generation(String newGeneration) {
            generation = Objects.requireNonNull(newGeneration, "generation");
            return this;
        }

        /** The message. */
        public ReceivedMessage build() {
            return new ReceivedMessage(this);
        }
    }
}
