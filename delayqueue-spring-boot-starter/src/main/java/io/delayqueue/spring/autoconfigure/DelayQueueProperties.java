package io.delayqueue.spring.autoconfigure;

import io.delayqueue.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** Properties of the delay queue. */
@ConfigurationProperties("delayqueue")
public class DelayQueueProperties {

    /**
     * Whether to set up the delay queue.
     */
    private boolean enabled = true;

    /**
     * First part of every key and channel in Redis, 1 to 100 characters without braces or blanks. Applications with the
     * same prefix on the same Redis share topics.
     */
    private String keyPrefix = "dq";

    /**
     * How often a consumer looks at Redis when nothing is due and nobody wakes it, 10 ms to an hour. Bounds how late a
     * message can be when wake-ups are lost.
     */
    private Duration guardInterval = Duration.ofSeconds(5);

    /**
     * How long before it is due a consumer with free places may claim a message and keep it until then, zero to a second.
     * For so long it can't be cancelled any more. Zero claims only what is due.
     */
    private Duration claimAhead = Duration.ofMillis(25);

    /**
     * How a consumer learns that a message became due earlier than the one it waits for: told by publish/subscribe, or
     * only by looking every guard interval, for proxies that know no publish/subscribe.
     */
    private WakeUp wakeUp = WakeUp.PUBSUB;

    /**
     * Largest payload, 1 byte to 64 MB.
     */
    private DataSize maxPayload = DataSize.ofMegabytes(1);

    /**
     * How long a call waits for Redis, 10 ms to 10 minutes.
     */
    private Duration commandTimeout = Duration.ofSeconds(2);

    /**
     * How long handlers may take to finish when the application stops; then they are interrupted and their messages given
     * back. Keep it below spring.lifecycle.timeout-per-shutdown-phase.
     */
    private Duration shutdownTimeout = Duration.ofSeconds(20);

    /**
     * Whether messages scheduled inside a Spring transaction are sent after its commit, and not at all after a rollback.
     */
    private boolean transactionAware;

    /**
     * Whether the application fails to start if Redis can't be reached; otherwise it starts and consumes once Redis is
     * back.
     */
    private boolean failFast;

    private final WaitForReplicas waitForReplicas = new WaitForReplicas();

    private final Listener listener = new Listener();

    /**
     * Limits by topic. Write names with dots or other special characters in brackets.
     */
    private final Map<String, Topic> topics = new LinkedHashMap<>();

    private final Health health = new Health();

    private final Endpoint endpoint = new Endpoint();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public String getKeyPrefix() {
        return keyPrefix;
    }

    public void setKeyPrefix(String keyPrefix) {
        this.keyPrefix = keyPrefix;
    }

    public Duration getGuardInterval() {
        return guardInterval;
    }

    public void setGuardInterval(Duration guardInterval) {
        this.guardInterval = guardInterval;
    }

    public Duration getClaimAhead() {
        return claimAhead;
    }

    public void setClaimAhead(Duration claimAhead) {
        this.claimAhead = claimAhead;
    }

    public WakeUp getWakeUp() {
        return wakeUp;
    }

    public void setWakeUp(WakeUp wakeUp) {
        this.wakeUp = wakeUp;
    }

    public DataSize getMaxPayload() {
        return maxPayload;
    }

    public void setMaxPayload(DataSize maxPayload) {
        this.maxPayload = maxPayload;
    }

    public Duration getCommandTimeout() {
        return commandTimeout;
    }

    public void setCommandTimeout(Duration commandTimeout) {
        this.commandTimeout = commandTimeout;
    }

    public Duration getShutdownTimeout() {
        return shutdownTimeout;
    }

    public void setShutdownTimeout(Duration shutdownTimeout) {
        this.shutdownTimeout = shutdownTimeout;
    }

    public boolean isTransactionAware() {
        return transactionAware;
    }

    public void setTransactionAware(boolean transactionAware) {
        this.transactionAware = transactionAware;
    }

    public boolean isFailFast() {
        return failFast;
    }

    public void setFailFast(boolean failFast) {
        this.failFast = failFast;
    }

    public WaitForReplicas getWaitForReplicas() {
        return waitForReplicas;
    }

    public Listener getListener() {
        return listener;
    }

    public Map<String, Topic> getTopics() {
        return topics;
    }

    public Health getHealth() {
        return health;
    }

    public Endpoint getEndpoint() {
        return endpoint;
    }

    /** What replicas must have before a message counts as scheduled. */
    public static class WaitForReplicas {

        /**
         * How many replicas must have a message before scheduling it returns, 0 to 100; 0 for none. Without, a failover may
         * lose messages that no replica had yet.
         */
        private int count;

        /**
         * How long replicas may take to have a message, 1 ms to 10 minutes; then scheduling it fails, though the message may
         * exist.
         */
        private Duration timeout = Duration.ofSeconds(1);

        public int getCount() {
            return count;
        }

        public void setCount(int count) {
            this.count = count;
        }

        public Duration getTimeout() {
            return timeout;
        }

        public void setTimeout(Duration timeout) {
            this.timeout = timeout;
        }
    }

    /** What a listener does unless its annotation says otherwise. */
    public static class Listener {

        /**
         * Messages a listener handles at the same time, 1 to 10,000. While it takes a few milliseconds or less for each, up to
         * four times as many are claimed already.
         */
        private int concurrency = 10;

        /**
         * How long a message stays out of reach when the process handling it dies, 100 ms to a day. Renewed while a
         * listener runs.
         */
        private Duration lease = Duration.ofSeconds(30);

        /**
         * How long a listener may take for a message before it is interrupted and the attempt has failed. Unlimited if not
         * set.
         */
        private @Nullable Duration timeout;

        /**
         * Attempts before a message is dead-lettered.
         */
        private int maxAttempts = 3;

        /**
         * Whether listeners start with the application.
         */
        private boolean autoStartup = true;

        private final Backoff backoff = new Backoff();

        public int getConcurrency() {
            return concurrency;
        }

        public void setConcurrency(int concurrency) {
            this.concurrency = concurrency;
        }

        public Duration getLease() {
            return lease;
        }

        public void setLease(Duration lease) {
            this.lease = lease;
        }

        public @Nullable Duration getTimeout() {
            return timeout;
        }

        public void setTimeout(@Nullable Duration timeout) {
            this.timeout = timeout;
        }

        public int getMaxAttempts() {
            return maxAttempts;
        }

        public void setMaxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
        }

        public boolean isAutoStartup() {
            return autoStartup;
        }

        public void setAutoStartup(boolean autoStartup) {
            this.autoStartup = autoStartup;
        }

        public Backoff getBackoff() {
            return backoff;
        }
    }

    /** Delays between attempts. */
    public static class Backoff {

        /**
         * Delay after the first attempt.
         */
        private Duration initial = Duration.ofSeconds(1);

        /**
         * Growth of the delay per attempt, at least 1; 1 for a fixed delay.
         */
        private double multiplier = 2.0;

        /**
         * The longest delay.
         */
        private Duration max = Duration.ofMinutes(10);

        /**
         * Share of the delay, 0 to 1, by which it is varied at random.
         */
        private double jitter = 0.1;

        /**
         * One delay after each attempt in turn, the last one for all further ones. Goes before the growing delay.
         */
        private List<Duration> delays = new ArrayList<>();

        public Duration getInitial() {
            return initial;
        }

        public void setInitial(Duration initial) {
            this.initial = initial;
        }

        public double getMultiplier() {
            return multiplier;
        }

        public void setMultiplier(double multiplier) {
            this.multiplier = multiplier;
        }

        public Duration getMax() {
            return max;
        }

        public void setMax(Duration max) {
            this.max = max;
        }

        public double getJitter() {
            return jitter;
        }

        public void setJitter(double jitter) {
            this.jitter = jitter;
        }

        public List<Duration> getDelays() {
            return delays;
        }

        public void setDelays(List<Duration> delays) {
            this.delays = delays;
        }
    }

    /** Limits of one topic. */
    public static class Topic {

        /**
         * How many messages may be waiting or ready before scheduling is refused; 0 for no limit.
         */
        private long maxPending;

        /**
         * How long dead letters are kept.
         */
        private Duration deadLetterRetention = Duration.ofDays(14);

        /**
         * How many partitions the topic has at least, 1 to 256. They spread over the servers of a Redis Cluster. Redis
         * keeps the largest number that any instance asked for.
         */
        private int partitions = 1;

        public int getPartitions() {
            return partitions;
        }

        public void setPartitions(int partitions) {
            this.partitions = partitions;
        }

        public long getMaxPending() {
            return maxPending;
        }

        public void setMaxPending(long maxPending) {
            this.maxPending = maxPending;
        }

        public Duration getDeadLetterRetention() {
            return deadLetterRetention;
        }

        public void setDeadLetterRetention(Duration deadLetterRetention) {
            this.deadLetterRetention = deadLetterRetention;
        }
    }

    /** The health indicator. */
    public static class Health {

        /**
         * How long a due message may wait for a consumer before health is down.
         */
        private Duration overdueThreshold = Duration.ofMinutes(1);

        public Duration getOverdueThreshold() {
            return overdueThreshold;
        }

        public void setOverdueThreshold(Duration overdueThreshold) {
            this.overdueThreshold = overdueThreshold;
        }
    }

    /** The actuator endpoint. */
    public static class Endpoint {

        /**
         * Whether the actuator endpoint shows payloads, header values and error texts of messages.
         */
        private boolean showPayload;

        public boolean isShowPayload() {
            return showPayload;
        }

        public void setShowPayload(boolean showPayload) {
            this.showPayload = showPayload;
        }
    }
}
