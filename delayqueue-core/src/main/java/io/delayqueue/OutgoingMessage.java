package io.delayqueue;

import io.delayqueue.internal.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message to be scheduled. Immutable; {@link #to(String)} starts a builder that refuses bad input in each setter.
 *
 * <p>The same object scheduled twice is recognised as the same call made again, whatever its duplicate policy: that is
 * how a call whose reply was lost is repeated safely.
 */
public final class OutgoingMessage {

    /** Priority of a message that asks for none, as in JMS. */
    public static final int DEFAULT_PRIORITY = 4;

    private final String topic;
    private final String id;
    private final byte[] payload;
    private final Delay delay;
    private final int priority;
    private final @Nullable Duration timeToLive;
    private final @Nullable Integer maxAttempts;
    private final Map<String, String> headers;
    private final DuplicatePolicy duplicatePolicy;
    private final String nonce;

    private OutgoingMessage(Builder builder, byte[] payload) {
        this.topic = builder.topic;
        this.id = builder.id != null ? builder.id : MessageIds.next();
        this.payload = payload;
        this.delay = builder.delay;
        this.priority = builder.priority;
        this.timeToLive = builder.timeToLive;
        this.maxAttempts = builder.maxAttempts;
        this.headers = Map.copyOf(builder.headers);
        this.duplicatePolicy = builder.duplicatePolicy;
        this.nonce = MessageIds.nonce();
    }

    /**
     * Starts a message to a topic, due at once unless told otherwise.
     *
     * @throws IllegalArgumentException unless the topic has 1 to 200 characters without braces, blanks or control
     *     characters
     */
    public static Builder to(String topic) {
        return new Builder(Names.requireTopic(topic));
    }

    /** Topic the message goes to. */
    public String topic() {
        return topic;
    }

    /** The caller's id, or a generated one that sorts by time. */
    public String id() {
        return id;
    }

    /** The payload's bytes, not copied: don't change them. */
    public byte[] payload() {
        return payload;
    }

    /** When the message is due. */
    public Delay delay() {
        return delay;
    }

    /** 0 (last) to 9 (first) among due messages. */
    public int priority() {
        return priority;
    }

    /** How long after its due time the message may still be handled; null: for ever. */
    public @Nullable Duration timeToLive() {
        return timeToLive;
    }

    /** Attempts before it is dead-lettered; null: what its consumer says. */
    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    /** Headers; unmodifiable, never null. */
    public Map<String, String> headers() {
        return headers;
    }

    /** What happens if a message with this id exists. */
    public DuplicatePolicy duplicatePolicy() {
        return duplicatePolicy;
    }

    /** Tells this scheduling apart from any other of the same id. */
    public String nonce() {
        return nonce;
    }

    @Override
    public String toString() {
        return "OutgoingMessage[topic=" + topic + ", id=" + id + ", " + delay + ", " + payload.length + " bytes]";
    }

    /** Collects what a message consists of. Not safe for use by several threads. */
    public static final class Builder {

        private final String topic;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable String id;
        private Delay delay = Delay.NONE;
        private int priority = DEFAULT_PRIORITY;
        private @Nullable Duration timeToLive;
        private @Nullable Integer maxAttempts;
        private DuplicatePolicy duplicatePolicy = DuplicatePolicy.REJECT;
        private byte @Nullable [] payload;

        private Builder(String topic) {
            this.topic = topic;
        }

        /** The bytes to deliver, not copied; required, may be empty. */
        public Builder payload(byte[] payload) {
            this.payload = Objects.requireNonNull(payload, "payload");
            return this;
        }

        /** Due this long after Redis accepts it, by Redis' clock; a negative delay means at once. Default: at once. */
        public Builder delay(Duration delay) {
            this.delay = Delay.of(delay);
            return this;
        }

        /** Due at this instant of Redis' clock; one in the past means at once. */
        public Builder dueAt(Instant due) {
            this.delay = Delay.until(due);
            return this;
        }

        /** Due as told. */
        public Builder delay(Delay delay) {
            this.delay = Objects.requireNonNull(delay, "delay");
            return this;
        }

        /** An id of the caller's, at most 512 bytes of UTF-8, unique in the topic. Default: generated. */
        public Builder id(String id) {
            this.id = Names.requireId(topic, id);
            return this;
        }

        /** 0 to 9, higher first among due messages. Default 4. */
        public Builder priority(int priority) {
            if (priority < 0 || priority > 9) {
                throw new IllegalArgumentException(
                        "priority of a message to topic '" + topic + "' must be 0 to 9, not " + priority);
            }
            this.priority = priority;
            return this;
        }

        /**
         * How long after its due time (a retry's too) the message is still worth handling; then it is dropped, counted as
         * expired and reported. Default: for ever.
         */
        public Builder timeToLive(Duration timeToLive) {
            if (timeToLive.isZero() || timeToLive.isNegative() || timeToLive.compareTo(Delay.LONGEST) > 0) {
                throw new IllegalArgumentException("timeToLive of a message to topic '" + topic
                        + "' must be positive and at most " + Delay.LONGEST + ", not " + timeToLive);
            }
            this.timeToLive = timeToLive;
            return this;
        }

        /** Attempts before it is dead-lettered, at least 1. Default: what its consumer says. */
        public Builder maxAttempts(int maxAttempts) {
            if (maxAttempts < 1) {
                throw new IllegalArgumentException(
                        "maxAttempts of a message to topic '" + topic + "' must be at least 1, not " + maxAttempts);
            }
            this.maxAttempts = maxAttempts;
            return this;
        }

        /** Adds a header; the name must not be blank. */
        public Builder header(String name, String value) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("a header of a message to topic '" + topic + "' has a blank name");
            }
            headers.put(name, Objects.requireNonNull(value, () -> "value of header " + name));
            return this;
        }

        /** What to do if a message with this id exists. Default {@link DuplicatePolicy#REJECT}. */
        public Builder ifExists(DuplicatePolicy policy) {
            this.duplicatePolicy = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * The finished message.
         *
         * @throws IllegalArgumentException if no payload was given
         */
        public OutgoingMessage build() {
            if (payload == null) {
                throw new IllegalArgumentException(
                        "a message to topic '" + topic + "' needs a payload: call payload(bytes)");
            }
            return new OutgoingMessage(this, payload);
        }
    }
}
