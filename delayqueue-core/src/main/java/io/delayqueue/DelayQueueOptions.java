package io.delayqueue;

import io.delayqueue.internal.Names;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Options of a {@link DelayQueueClient}. Immutable; {@link #builder()} refuses invalid values in each setter. */
public final class DelayQueueOptions {

    /** Default prefix of every key and channel. */
    public static final String DEFAULT_KEY_PREFIX = "dq";

    /** Default guard interval: bounds the lateness after a lost wake-up, and costs an idle consumer little. */
    public static final Duration DEFAULT_GUARD_INTERVAL = Duration.ofSeconds(5);

    /** Default of {@link #claimAhead()}: a few round trips to Redis, so that a message is at hand when it falls due. */
    public static final Duration DEFAULT_CLAIM_AHEAD = Duration.ofMillis(25);

    /** Default maximum size of a payload: 1 MiB. */
    public static final int DEFAULT_MAX_PAYLOAD = 1024 * 1024;

    /** Default maximum number of waiting messages: Redis takes as many in about ten seconds. */
    public static final int DEFAULT_MAX_WAITING_MESSAGES = 1_000_000;

    /** Default maximum size of waiting messages: 256 MiB. */
    public static final long DEFAULT_MAX_WAITING_BYTES = 256L * 1024 * 1024;

    /** Default maximum number of bytes in flight: 64 MiB, enough for 16 full claims. */
    public static final long DEFAULT_MAX_IN_FLIGHT_BYTES = 64 * 1024 * 1024;

    /** Default command timeout. */
    public static final Duration DEFAULT_COMMAND_TIMEOUT = Duration.ofSeconds(2);

    /** Default shutdown timeout: below the 30 s that process managers usually grant. */
    public static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(20);

    /** Default timeout of waiting for replicas. */
    public static final Duration DEFAULT_WAIT_FOR_REPLICAS_TIMEOUT = Duration.ofSeconds(1);

    private final String keyPrefix;
    private final Duration guardInterval;
    private final Duration claimAhead;
    private final WakeUp wakeUp;
    private final int maxPayload;
    private final int maxWaitingMessages;
    private final long maxWaitingBytes;
    private final long maxInFlightBytes;
    private final Duration commandTimeout;
    private final Duration shutdownTimeout;
    private final int waitForReplicas;
    private final Duration waitForReplicasTimeout;
    private final TopicOptions topicDefaults;
    private final Map<String, TopicOptions> topics;
    private final DelayQueueObserver observer;
    private final ClaimGate claimGate;
    private final MessageCheck messageCheck;
    private final @Nullable ThreadFactory handlerThreadFactory;
    private final @Nullable Executor completionExecutor;

    private DelayQueueOptions(Builder builder) {
        this.keyPrefix = builder.keyPrefix;
        this.guardInterval = builder.guardInterval;
        this.claimAhead = builder.claimAhead;
        this.wakeUp = builder.wakeUp;
        this.maxPayload = builder.maxPayload;
        this.maxWaitingMessages = builder.maxWaitingMessages;
        this.maxWaitingBytes = builder.maxWaitingBytes;
        this.commandTimeout = builder.commandTimeout;
        this.shutdownTimeout = builder.shutdownTimeout;
        this.waitForReplicas = builder.waitForReplicas;
        this.waitForReplicasTimeout = builder.waitForReplicasTimeout;
        this.topicDefaults = builder.topicDefaults;
        this.topics = Map.copyOf(builder.topics);
        this.maxInFlightBytes = builder.maxInFlightBytes;
        this.observer = builder.observer;
        this.claimGate = builder.claimGate;
        this.messageCheck = builder.messageCheck;
        this.handlerThreadFactory = builder.handlerThreadFactory;
        this.completionExecutor = builder.completionExecutor;
    }

    /** Options with every default. */
    public static DelayQueueOptions defaults() {
        return builder().build();
    }

    /** A builder with every default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Prefix of every key and channel. */
    public String keyPrefix() {
        return keyPrefix;
    }

    /** Interval at which an idle consumer asks Redis for due messages. */
    public Duration guardInterval() {
        return guardInterval;
    }

    /** How long before its due time a message may be claimed; zero claims only due messages. */
    public Duration claimAhead() {
        return claimAhead;
    }

    /** How consumers learn of a message that is due earlier than those they wait for. */
    public WakeUp wakeUp() {
        return wakeUp;
    }

    /** Maximum size of a payload, in bytes. */
    public int maxPayload() {
        return maxPayload;
    }

    /** Maximum number of messages whose {@code schedule} calls are not answered yet. */
    public int maxWaitingMessages() {
        return maxWaitingMessages;
    }

    /** Maximum size of the messages whose {@code schedule} calls are not answered yet, in bytes. */
    public long maxWaitingBytes() {
        return maxWaitingBytes;
    }

    /** Maximum number of bytes of the messages in flight in this client. */
    public long maxInFlightBytes() {
        return maxInFlightBytes;
    }

    /** Maximum time that a call waits for Redis. */
    public Duration commandTimeout() {
        return commandTimeout;
    }

    /** Maximum time that {@link DelayQueueClient#close()} waits for handlers. */
    public Duration shutdownTimeout() {
        return shutdownTimeout;
    }

    /** Number of replicas that must have a message before {@code schedule} returns; 0 for none. */
    public int waitForReplicas() {
        return waitForReplicas;
    }

    /** Maximum time that {@code schedule} waits for replicas. */
    public Duration waitForReplicasTimeout() {
        return waitForReplicasTimeout;
    }

    /** Options of a topic: its own, or the defaults. */
    public TopicOptions topic(String topic) {
        return topics.getOrDefault(topic, topicDefaults);
    }

    /** Receives events about messages in this process. */
    public DelayQueueObserver observer() {
        return observer;
    }

    /** Holds back claims after a new connection to Redis. */
    public ClaimGate claimGate() {
        return claimGate;
    }

    /** Refuses messages before they are scheduled. */
    public MessageCheck messageCheck() {
        return messageCheck;
    }

    /** Makes the worker threads that handlers run on; null for daemon threads named {@code delayqueue-worker-N}. */
    public @Nullable ThreadFactory handlerThreadFactory() {
        return handlerThreadFactory;
    }

    /** Completes the futures of the {@code Async} methods; null for daemon threads of the client. */
    public @Nullable Executor completionExecutor() {
        return completionExecutor;
    }

    /** Collects options. Not safe for use by several threads. */
    public static final class Builder {

        private String keyPrefix = DEFAULT_KEY_PREFIX;
        private Duration guardInterval = DEFAULT_GUARD_INTERVAL;
        private Duration claimAhead = DEFAULT_CLAIM_AHEAD;
        private WakeUp wakeUp = WakeUp.PUBSUB;
        private int maxPayload = DEFAULT_MAX_PAYLOAD;
        private int maxWaitingMessages = DEFAULT_MAX_WAITING_MESSAGES;
        private long maxWaitingBytes = DEFAULT_MAX_WAITING_BYTES;
        private long maxInFlightBytes = DEFAULT_MAX_IN_FLIGHT_BYTES;
        private Duration commandTimeout = DEFAULT_COMMAND_TIMEOUT;
        private Duration shutdownTimeout = DEFAULT_SHUTDOWN_TIMEOUT;
        private int waitForReplicas;
        private Duration waitForReplicasTimeout = DEFAULT_WAIT_FOR_REPLICAS_TIMEOUT;
        private TopicOptions topicDefaults = TopicOptions.defaults();
        private final Map<String, TopicOptions> topics = new HashMap<>();
        private DelayQueueObserver observer = DelayQueueObserver.NONE;
        private ClaimGate claimGate = ClaimGate.OPEN;
        private MessageCheck messageCheck = MessageCheck.NONE;
        private @Nullable ThreadFactory handlerThreadFactory;
        private @Nullable Executor completionExecutor;

        private Builder() {}

        /** Prefix of every key and channel, 1 to 100 characters without braces or blanks. Default {@code dq}. */
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

        /**
         * Interval at which an idle consumer asks Redis for due messages, 10 ms to an hour. Bounds the lateness of messages after
         * a lost wake-up. Default 5 s.
         */
        public Builder guardInterval(Duration guardInterval) {
            this.guardInterval =
                    requireBetween("guardInterval", guardInterval, Duration.ofMillis(10), Duration.ofHours(1));
            return this;
        }

        /**
         * How long before its due time a message may be claimed, zero to a second, by a consumer with free handler slots.
         * The consumer holds the message until it is due, so no message is early; messages are less late and cost Redis less.
         * Once claimed, a message can no longer be cancelled or rescheduled: {@code IN_FLIGHT}. At most half the lease of each
         * consumer. Default 25 ms; zero claims only due messages.
         */
        public Builder claimAhead(Duration claimAhead) {
            this.claimAhead = requireBetween("claimAhead", claimAhead, Duration.ZERO, Duration.ofSeconds(1));
            return this;
        }

        /** How consumers learn of a message that is due earlier than those they wait for. Default {@link WakeUp#PUBSUB}. */
        public Builder wakeUp(WakeUp wakeUp) {
            this.wakeUp = Objects.requireNonNull(wakeUp, "wakeUp");
            return this;
        }

        /** Maximum size of a payload in bytes, 1 to 64 MiB. Default 1 MiB. */
        public Builder maxPayload(int maxPayload) {
            if (maxPayload < 1 || maxPayload > 64 * 1024 * 1024) {
                throw new IllegalArgumentException("maxPayload must be 1 byte to 64 MiB, not " + maxPayload);
            }
            this.maxPayload = maxPayload;
            return this;
        }

        /**
         * Maximum number of messages whose {@code schedule} calls are not answered yet, at least 1; those of single calls and of
         * {@code scheduleAll} calls are counted apart. At the limit, an {@code Async} call fails with a
         * {@link ClientOverloadedException}, and a blocking one waits for capacity within its deadline. A call is never refused while it is
         * the only one, whatever its size. Default 1,000,000.
         */
        public Builder maxWaitingMessages(int maxWaitingMessages) {
            if (maxWaitingMessages < 1) {
                throw new IllegalArgumentException("maxWaitingMessages must be at least 1, not " + maxWaitingMessages);
            }
            this.maxWaitingMessages = maxWaitingMessages;
            return this;
        }

        /**
         * Maximum size of the messages whose {@code schedule} calls are not answered yet, in bytes, at least 1. A message counts with
         * its payload, headers and id, and 256 bytes for the objects around them. Otherwise as {@link #maxWaitingMessages}. Default
         * 256 MiB.
         */
        public Builder maxWaitingBytes(long maxWaitingBytes) {
            if (maxWaitingBytes < 1) {
                throw new IllegalArgumentException("maxWaitingBytes must be at least 1, not " + maxWaitingBytes);
            }
            this.maxWaitingBytes = maxWaitingBytes;
            return this;
        }

        /**
         * Maximum number of bytes of the messages in flight in this client, over all its subscriptions, at least 1 MiB. Default 64 MiB.
         * While it is reached, a subscription claims no more messages, unless it has none: so it is exceeded by at most one message
         * for each subscription.
         */
        public Builder maxInFlightBytes(long maxInFlightBytes) {
            if (maxInFlightBytes < 1024 * 1024) {
                throw new IllegalArgumentException("maxInFlightBytes must be at least 1 MiB, not " + maxInFlightBytes);
            }
            this.maxInFlightBytes = maxInFlightBytes;
            return this;
        }

        /** Maximum time that a call waits for Redis, 10 ms to 10 min. Default 2 s. */
        public Builder commandTimeout(Duration commandTimeout) {
            this.commandTimeout =
                    requireBetween("commandTimeout", commandTimeout, Duration.ofMillis(10), Duration.ofMinutes(10));
            return this;
        }

        /**
         * Maximum time that {@link DelayQueueClient#close()} waits for handlers, up to a day. Default 20 s. If handlers ignore
         * interrupts or Redis is silent, stopping subscriptions takes up to {@link Subscription#AFTER_GRACE} more, and closing the
         * connections another second.
         */
        public Builder shutdownTimeout(Duration shutdownTimeout) {
            this.shutdownTimeout =
                    requireBetween("shutdownTimeout", shutdownTimeout, Duration.ZERO, Duration.ofDays(1));
            return this;
        }

        /**
         * Makes {@code schedule} wait until this number of replicas have the message; if they don't have it in time, it fails
         * with a {@link ReplicationTimeoutException}. A message whose {@code schedule} returned then survives a failover to any
         * of them. Default: off, so a failover may lose messages that no replica had yet.
         *
         * @param count number of replicas, 0 (off) to 100
         * @param timeout maximum time to wait for them, 1 ms to 10 min
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

        /** Options of every topic that has none of its own. Default {@link TopicOptions#defaults()}. */
        public Builder topicDefaults(TopicOptions options) {
            this.topicDefaults = Objects.requireNonNull(options, "options");
            return this;
        }

        /** Options of one topic. */
        public Builder topic(String topic, TopicOptions options) {
            topics.put(Names.requireTopic(topic), Objects.requireNonNull(options, "options"));
            return this;
        }

        /** Receives events about messages in this process. Default {@link DelayQueueObserver#NONE}. */
        public Builder observer(DelayQueueObserver observer) {
            this.observer = Objects.requireNonNull(observer, "observer");
            return this;
        }

        /**
         * Holds back the claims of each partition after a new connection to its server, until the gate lets them go on. Default
         * {@link ClaimGate#OPEN}, which costs nothing.
         */
        public Builder claimGate(ClaimGate claimGate) {
            this.claimGate = Objects.requireNonNull(claimGate, "claimGate");
            return this;
        }

        /** Refuses messages before they are scheduled by this client. Default {@link MessageCheck#NONE}. */
        public Builder messageCheck(MessageCheck messageCheck) {
            this.messageCheck = Objects.requireNonNull(messageCheck, "messageCheck");
            return this;
        }

        /**
         * Makes the worker threads that the handlers of all subscriptions share, such as virtual ones. There are as many workers
         * as handlers run; an idle one ends after 10 s. The factory must not block: it is called on threads that serve all
         * topics. Null for the default: daemon threads with the context class loader of the thread that creates the client.
         */
        public Builder handlerThreadFactory(@Nullable ThreadFactory handlerThreadFactory) {
            this.handlerThreadFactory = handlerThreadFactory;
            return this;
        }

        /**
         * Completes the futures that {@code Async} methods return, so that a continuation which blocks does not stall the connection to
         * Redis. The executor must not run tasks on the thread that calls it, and should have a bound on its threads. The client does not
         * close it. Null for the default: eight daemon threads named {@code delayqueue-completion-N}, and up to 128 while all of them
         * block. While 128 continuations block, further futures complete late; handlers, leases and blocking calls are not affected.
         * {@link #maxWaitingMessages} bounds the futures that wait, too.
         *
         * <p>A continuation may wait for calls that it makes: their answers have as many threads of their own, named
         * {@code delayqueue-nested-completion-N}. A call that would wait for the last of these is refused with a
         * {@link ClientOverloadedException}.
         */
        public Builder completionExecutor(@Nullable Executor completionExecutor) {
            this.completionExecutor = completionExecutor;
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
