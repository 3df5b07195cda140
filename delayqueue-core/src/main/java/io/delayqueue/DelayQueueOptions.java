package io.delayqueue;

import io.delayqueue.internal.Names;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** How a {@link DelayQueueClient} behaves. Immutable; {@link #builder()} refuses bad values in each setter. */
public final class DelayQueueOptions {

    /** First part of every key unless told otherwise. */
    public static final String DEFAULT_KEY_PREFIX = "dq";

    /** Guard interval unless told otherwise. */
    public static final Duration DEFAULT_GUARD_INTERVAL = Duration.ofSeconds(5);

    /** How long before it is due a message is claimed unless told otherwise. */
    public static final Duration DEFAULT_CLAIM_AHEAD = Duration.ofMillis(25);

    /** Largest payload unless told otherwise: 1 MiB. */
    public static final int DEFAULT_MAX_PAYLOAD = 1024 * 1024;

    /** How long to wait for Redis unless told otherwise. */
    public static final Duration DEFAULT_COMMAND_TIMEOUT = Duration.ofSeconds(2);

    /** How long {@code close} waits for handlers unless told otherwise. */
    public static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(20);

    /** How long to wait for replicas unless told otherwise, where they are waited for at all. */
    public static final Duration DEFAULT_WAIT_FOR_REPLICAS_TIMEOUT = Duration.ofSeconds(1);

    private final String keyPrefix;
    private final Duration guardInterval;
    private final Duration claimAhead;
    private final WakeUp wakeUp;
    private final int maxPayload;
    private final Duration commandTimeout;
    private final Duration shutdownTimeout;
    private final int waitForReplicas;
    private final Duration waitForReplicasTimeout;
    private final TopicOptions topicDefaults;
    private final Map<String, TopicOptions> topics;
    private final DelayQueueObserver observer;

    private DelayQueueOptions(Builder builder) {
        this.keyPrefix = builder.keyPrefix;
        this.guardInterval = builder.guardInterval;
        this.claimAhead = builder.claimAhead;
        this.wakeUp = builder.wakeUp;
        this.maxPayload = builder.maxPayload;
        this.commandTimeout = builder.commandTimeout;
        this.shutdownTimeout = builder.shutdownTimeout;
        this.waitForReplicas = builder.waitForReplicas;
        this.waitForReplicasTimeout = builder.waitForReplicasTimeout;
        this.topicDefaults = builder.topicDefaults;
        this.topics = Map.copyOf(builder.topics);
        this.observer = builder.observer;
    }

    /** Options with every default. */
    public static DelayQueueOptions defaults() {
        return builder().build();
    }

    /** Starts with every default. */
    public static Builder builder() {
        return new Builder();
    }

    /** First part of every key and channel. */
    public String keyPrefix() {
        return keyPrefix;
    }

    /** How often a consumer looks at Redis when nothing is due and nobody wakes it. */
    public Duration guardInterval() {
        return guardInterval;
    }

    /** How long before it is due a consumer may claim a message, to keep it until then; zero for never. */
    public Duration claimAhead() {
        return claimAhead;
    }

    /** How consumers learn of earlier messages. */
    public WakeUp wakeUp() {
        return wakeUp;
    }

    /** Largest payload in bytes. */
    public int maxPayload() {
        return maxPayload;
    }

    /** How long a call waits for Redis. */
    public Duration commandTimeout() {
        return commandTimeout;
    }

    /** How long {@link DelayQueueClient#close()} waits for handlers. */
    public Duration shutdownTimeout() {
        return shutdownTimeout;
    }

    /** How many replicas must have a message before {@code schedule} returns; 0 for none. */
    public int waitForReplicas() {
        return waitForReplicas;
    }

    /** How long replicas are waited for. */
    public Duration waitForReplicasTimeout() {
        return waitForReplicasTimeout;
    }

    /** Limits of a topic. */
    public TopicOptions topic(String topic) {
        return topics.getOrDefault(topic, topicDefaults);
    }

    /** Who is told what happens. */
    public DelayQueueObserver observer() {
        return observer;
    }

    /** Collects options. Not safe for use by several threads. */
    public static final class Builder {

        private String keyPrefix = DEFAULT_KEY_PREFIX;
        private Duration guardInterval = DEFAULT_GUARD_INTERVAL;
        private Duration claimAhead = DEFAULT_CLAIM_AHEAD;
        private WakeUp wakeUp = WakeUp.PUBSUB;
        private int maxPayload = DEFAULT_MAX_PAYLOAD;
        private Duration commandTimeout = DEFAULT_COMMAND_TIMEOUT;
        private Duration shutdownTimeout = DEFAULT_SHUTDOWN_TIMEOUT;
        private int waitForReplicas;
        private Duration waitForReplicasTimeout = DEFAULT_WAIT_FOR_REPLICAS_TIMEOUT;
        private TopicOptions topicDefaults = TopicOptions.defaults();
        private final Map<String, TopicOptions> topics = new HashMap<>();
        private DelayQueueObserver observer = DelayQueueObserver.NONE;

        private Builder() {}

        /** First part of every key and channel, 1 to 100 characters without braces or blanks. Default {@code dq}. */
        public Builder keyPrefix(String keyPrefix) {
            if (keyPrefix.length() > 100) {
                throw new IllegalArgumentException(
                        "keyPrefix needs 1 to 100 characters, but has " + keyPrefix.length());
            }
            try {
                this.keyPrefix = Names.requireTopic(keyPrefix);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "keyPrefix '" + keyPrefix
                                + "' needs 1 to 100 characters, none a brace, blank or control character",
                        e);
            }
            return this;
        }

        /** 10 ms to an hour. Default 5 s. Bounds the lateness when wake-ups are lost. */
        public Builder guardInterval(Duration guardInterval) {
            this.guardInterval =
                    requireBetween("guardInterval", guardInterval, Duration.ofMillis(10), Duration.ofHours(1));
            return this;
        }

        /**
         * How long before it is due a consumer with free places may claim a message, zero to a second. It keeps the message
         * until it is due, so nothing comes early, and what comes is less late and costs Redis less. For so long a message
         * that waits can't be cancelled or rescheduled any more: {@code IN_FLIGHT}. Default 25 ms; zero claims only what is due.
         */
        public Builder claimAhead(Duration claimAhead) {
            this.claimAhead = requireBetween("claimAhead", claimAhead, Duration.ZERO, Duration.ofSeconds(1));
            return this;
        }

        /** Default {@link WakeUp#PUBSUB}. */
        public Builder wakeUp(WakeUp wakeUp) {
            this.wakeUp = Objects.requireNonNull(wakeUp, "wakeUp");
            return this;
        }

        /** Largest payload in bytes, 1 to 64 MiB. Default 1 MiB. */
        public Builder maxPayload(int maxPayload) {
            if (maxPayload < 1 || maxPayload > 64 * 1024 * 1024) {
                throw new IllegalArgumentException("maxPayload must be 1 byte to 64 MiB, not " + maxPayload);
            }
            this.maxPayload = maxPayload;
            return this;
        }

        /** How long a call waits for Redis, 10 ms to 10 min. Default 2 s. */
        public Builder commandTimeout(Duration commandTimeout) {
            this.commandTimeout =
                    requireBetween("commandTimeout", commandTimeout, Duration.ofMillis(10), Duration.ofMinutes(10));
            return this;
        }

        /** How long {@link DelayQueueClient#close()} waits for handlers, up to a day. Default 20 s. */
        public Builder shutdownTimeout(Duration shutdownTimeout) {
            this.shutdownTimeout =
                    requireBetween("shutdownTimeout", shutdownTimeout, Duration.ZERO, Duration.ofDays(1));
            return this;
        }

        /**
         * Has {@code schedule} return only when so many replicas have the message, and throw a {@link
         * ReplicationTimeoutException} if they don't have it in time. Then a message whose {@code schedule} returned survives a
         * failover to any of them. Default: off, so a failover may lose what no replica had yet.
         *
         * @param count 0 (off) to 100
         * @param timeout 1 ms to 10 min
         */
        public Builder waitForReplicas(int count, Duration timeout) {
            if (count < 0 || count > 100) {
                throw new IllegalArgumentException("waitForReplicas needs a count of 0 to 100, not " + count);
            }
            this.waitForReplicasTimeout =
                    requireBetween("timeout of waitForReplicas", timeout, Duration.ofMillis(1), Duration.ofMinutes(10));
            this.waitForReplicas = count;
            return this;
        }

        /** Limits of every topic that has none of its own. Default {@link TopicOptions#defaults()}. */
        public Builder topicDefaults(TopicOptions options) {
            this.topicDefaults = Objects.requireNonNull(options, "options");
            return this;
        }

        /** Limits of one topic. */
        public Builder topic(String topic, TopicOptions options) {
            topics.put(Names.requireTopic(topic), Objects.requireNonNull(options, "options"));
            return this;
        }

        /** Who is told what happens. Default: nobody. */
        public Builder observer(DelayQueueObserver observer) {
            this.observer = Objects.requireNonNull(observer, "observer");
            return this;
        }

        /** The finished options. */
        public DelayQueueOptions build() {
            return new DelayQueueOptions(this);
        }

        private static Duration requireBetween(String name, Duration value, Duration least, Duration most) {
            if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
                throw new IllegalArgumentException(name + " must be " + least + " to " + most + ", not " + value);
            }
            return value;
        }
    }
}
