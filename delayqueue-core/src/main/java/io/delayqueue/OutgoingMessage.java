package io.delayqueue;

import io.delayqueue.internal.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message to schedule. Immutable; {@link #to(String)} starts a builder that refuses invalid values in each setter.
 *
 * <p>Scheduling the same object again repeats the first call, under any duplicate policy, while the message exists. So a call whose
 * reply was lost can be repeated. A message that was handled meanwhile is scheduled again: listeners must bear a second delivery.
 */
public final class OutgoingMessage {

    /** Default priority, as in JMS. */
    public static final int DEFAULT_PRIORITY = 4;

    /** Names and values of all headers of a message: an envelope is read whole, so its headers must stay small. */
    private static final int MAX_HEADER_CHARS = 64 * 1024;

    private final String topic;
    private final String id;
    private final String generation;
    private final byte[] payload;
    private final Delay delay;
    private final int priority;
    private final @Nullable Duration timeToLive;
    private final @Nullable Integer maxAttempts;
    private final Map<String, String> headers;
    private final DuplicatePolicy duplicatePolicy;

    private OutgoingMessage(Builder builder, byte[] payload) {
        this.topic = builder.topic;
        this.id = builder.id != null ? builder.id : MessageIds.next();
        this.generation = builder.generation != null ? builder.generation : MessageIds.nonce();
        this.payload = payload;
        this.delay = builder.delay;
        this.priority = builder.priority;
        this.timeToLive = builder.timeToLive;
        this.maxAttempts = builder.maxAttempts;
        this.headers = Map.copyOf(builder.headers);
        this.duplicatePolicy = builder.duplicatePolicy;
    }

    private void requireSmallHeaders() {
        int chars = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            chars += header.getKey().length() + header.getValue().length();
        }
        if (chars > MAX_HEADER_CHARS) {
            throw new IllegalArgumentException("the headers of message '" + id + "' for topic '" + topic + "' have "
                    + chars + " characters, more than " + MAX_HEADER_CHARS);
        }
    }

    /**
     * A builder of a message to a topic, due at once by default.
     *
     * @throws IllegalArgumentException unless the topic has 1 to 200 characters without braces, blanks or control
     *     characters
     */
    public static Builder to(String topic) {
        return new Builder(Names.requireTopic(topic));
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** The id: the caller's own, or a generated one that sorts by time. */
    public String id() {
        return id;
    }

    /** Random text of 8 characters that tells the message from others that have had its id. */
    public String generation() {
        return generation;
    }

    /** The payload, not copied: don't change it. */
    public byte[] payload() {
        return payload;
    }

    /** Delay or instant after which the message is due. */
    public Delay delay() {
        return delay;
    }

    /** Priority among due messages: 0 (last) to 9 (first). */
    public int priority() {
        return priority;
    }

    /** Time after the due time for which the message may still be handled; null for no limit. */
    public @Nullable Duration timeToLive() {
        return timeToLive;
    }

    /** Number of attempts before the message is dead-lettered; null for the consumer's. */
    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    /** Headers of the message, unmodifiable. */
    public Map<String, String> headers() {
        return headers;
    }

    /** Treatment of the message if the topic already has one with its id. */
    public DuplicatePolicy duplicatePolicy() {
        return duplicatePolicy;
    }

    /**
     * A builder with everything that this message has, its id included. The message that it builds is another one: while this
     * one exists, it is a duplicate.
     */
    public Builder toBuilder() {
        Builder builder = new Builder(topic);
        builder.id = id;
        builder.payload = payload;
        builder.delay = delay;
        builder.priority = priority;
        builder.timeToLive = timeToLive;
        builder.maxAttempts = maxAttempts;
        builder.headers.putAll(headers);
        builder.duplicatePolicy = duplicatePolicy;
        return builder;
    }

    @Override
    public String toString() {
        return "OutgoingMessage[topic=" + topic + ", id=" + id + ", " + delay + ", " + payload.length + " bytes]";
    }

    /** Collects the parts of a message. Not safe for use by several threads. */
    public static final class Builder {

        private final String topic;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable String id;
        private @Nullable String generation;
        private Delay delay = Delay.NONE;
        private int priority = DEFAULT_PRIORITY;
        private @Nullable Duration timeToLive;
        private @Nullable Integer maxAttempts;
        private DuplicatePolicy duplicatePolicy = DuplicatePolicy.REJECT;
        private byte @Nullable [] payload;

        private Builder(String topic) {
            this.topic = topic;
        }

        /** The payload, not copied: don't change it. Required, but may be empty. */
        public Builder payload(byte[] payload) {
            this.payload = Objects.requireNonNull(payload, "payload");
            return this;
        }

        /** Delay until the message is due, from the moment Redis accepts it. A negative delay means at once, the default. */
        public Builder delay(Duration delay) {
            this.delay = Delay.of(delay);
            return this;
        }

        /** Instant at which the message is due, by Redis' clock. An instant in the past means at once. */
        public Builder dueAt(Instant due) {
            this.delay = Delay.until(due);
            return this;
        }

        /** Delay or instant after which the message is due. Default {@link Delay#NONE}. */
        public Builder delay(Delay delay) {
            this.delay = Objects.requireNonNull(delay, "delay");
            return this;
        }

        /** Id of the message, at most 512 bytes of UTF-8, unique in its topic. Default: generated. */
        public Builder id(String id) {
            this.id = Names.requireId(topic, id);
            return this;
        }

        /**
         * Generation of a message that was built before, in this or another process: scheduling what this builds repeats the call of
         * that message. Default: random.
         */
        public Builder generation(String generation) {
            this.generation = MessageIds.requireNonce(generation, "generation of a message to topic '" + topic + "'");
            return this;
        }

        /** Priority, 0 to 9: higher first among due messages. Default 4. */
        public Builder priority(int priority) {
            if (priority < 0 || priority > 9) {
                throw new IllegalArgumentException(
                        "priority of a message to topic '" + topic + "' must be 0 to 9, not " + priority);
            }
            this.priority = priority;
            return this;
        }

        /**
         * Time after the due time, or after that of a retry, for which the message may still be handled. After it the message
         * is dropped, counted as expired and reported. Default: no limit.
         */
        public Builder timeToLive(Duration timeToLive) {
            if (timeToLive.isZero() || timeToLive.isNegative() || timeToLive.compareTo(Delay.LONGEST) > 0) {
                throw new IllegalArgumentException("timeToLive of a message to topic '" + topic
                        + "' must be positive and at most " + Delay.LONGEST + ", not " + timeToLive);
            }
            this.timeToLive = timeToLive;
            return this;
        }

        /** Number of attempts before the message is dead-lettered, at least 1. Default: the consumer's. */
        public Builder maxAttempts(int maxAttempts) {
            if (maxAttempts < 1) {
                throw new IllegalArgumentException(
                        "maxAttempts of a message to topic '" + topic + "' must be at least 1, not " + maxAttempts);
            }
            this.maxAttempts = maxAttempts;
            return this;
        }

        /** Adds a header; the name must not be blank. Names and values of all headers may have 65,536 characters together. */
        public Builder header(String name, String value) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("a header of a message to topic '" + topic + "' has a blank name");
            }
            headers.put(name, Objects.requireNonNull(value, () -> "value of header " + name));
            return this;
        }

        /** Treatment of the message if the topic already has one with its id. Default {@link DuplicatePolicy#REJECT}. */
        public Builder ifExists(DuplicatePolicy policy) {
            this.duplicatePolicy = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * The finished message.
         *
         * @throws IllegalArgumentException if no payload was given, or the headers are too large
         */
        public OutgoingMessage build() {
            if (payload == null) {
                throw new IllegalArgumentException(
                        "a message to topic '" + topic + "' needs a payload: call payload(bytes)");
            }
            OutgoingMessage message = new OutgoingMessage(this, payload);
            message.requireSmallHeaders();
            return message;
        }
    }
}
