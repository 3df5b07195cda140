package io.delayqueue.spring.autoconfigure;

import io.delayqueue.WakeUp;
import io.delayqueue.spring.listener.LogFailures;
import io.delayqueue.spring.observation.HandlerSpan;
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
     * Whether to auto-configure the delay queue.
     */
    private boolean enabled = true;

    /**
     * Prefix of every key and channel in Redis, 1 to 100 characters without braces or blanks. Applications with the same
     * prefix on the same Redis share topics.
     */
    private String keyPrefix = "dq";

    /**
     * Interval at which an idle consumer asks Redis for due messages, 10 ms to an hour. Bounds the lateness of messages
     * after a lost wake-up.
     */
    private Duration guardInterval = Duration.ofSeconds(5);

    /**
     * How long before its due time a message may be claimed, zero to a second, by a consumer with free handler slots. Once
     * claimed, a message can no longer be cancelled. Zero claims only due messages.
     */
    private Duration claimAhead = Duration.ofMillis(25);

    /**
     * How consumers learn of a message that is due earlier than those they wait for. By notification (publish/subscribe), or
     * by polling once a guard interval for proxies that don't support publish/subscribe.
     */
    private WakeUp wakeUp = WakeUp.PUBSUB;

    /**
     * Maximum size of a payload, 1 byte to 64 MB.
     */
    private DataSize maxPayload = DataSize.ofMegabytes(1);

    /**
     * Maximum number of messages whose schedule calls are not answered yet. Single and bulk calls have this limit each.
     */
    private int maxWaitingMessages = 1_000_000;

    /**
     * Maximum size of the messages whose schedule calls are not answered yet. Single and bulk calls have this limit each.
     */
    private DataSize maxWaitingBytes = DataSize.ofMegabytes(256);

    /**
     * Maximum size of the messages in flight in this process, over all listeners. A listener without a message may
     * always claim one.
     */
    private DataSize maxInFlightBytes = DataSize.ofMegabytes(64);

    /**
     * Maximum time that a call waits for Redis, 10 ms to 10 minutes.
     */
    private Duration commandTimeout = Duration.ofSeconds(2);

    /**
     * Maximum time that listeners may take to finish when the application stops; then they are interrupted and their messages
     * released, which takes up to 3 seconds more. Both together should not exceed
     * spring.lifecycle.timeout-per-shutdown-phase.
     */
    private Duration shutdownTimeout = Duration.ofSeconds(20);

    /**
     * Whether to send what is scheduled, cancelled or rescheduled inside a Spring transaction after its commit, and not at all
     * after a rollback.
     */
    private boolean transactionAware;

    /**
     * Whether to fail the start of the application if Redis is unavailable. Otherwise it starts, and consumes once Redis
     * answers.
     */
    private boolean failFast;

    private final WaitForReplicas waitForReplicas = new WaitForReplicas();

    private final Listener listener = new Listener();

    private final Json json = new Json();

    /**
     * Options of single topics, by name. Put a name with dots or other special characters in brackets.
     */
    private final Map<String, Topic> topics = new LinkedHashMap<>();

    private final Health health = new Health();

    private final Metrics metrics = new Metrics();

    private final Tracing tracing = new Tracing();

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

    public int getMaxWaitingMessages() {
        return maxWaitingMessages;
    }

    public void setMaxWaitingMessages(int maxWaitingMessages) {
        this.maxWaitingMessages = maxWaitingMessages;
    }

    public DataSize getMaxWaitingBytes() {
        return maxWaitingBytes;
    }

    public void setMaxWaitingBytes(DataSize maxWaitingBytes) {
        this.maxWaitingBytes = maxWaitingBytes;
    }

    public DataSize getMaxInFlightBytes() {
        return maxInFlightBytes;
    }

    public void setMaxInFlightBytes(DataSize maxInFlightBytes) {
        this.maxInFlightBytes = maxInFlightBytes;
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

    public Json getJson() {
        return json;
    }

    public Map<String, Topic> getTopics() {
        return topics;
    }

    public Health getHealth() {
        return health;
    }

    public Metrics getMetrics() {
        return metrics;
    }

    public Tracing getTracing() {
        return tracing;
    }

    /** Replication of a message before its schedule call returns. */
    public static class WaitForReplicas {

        /**
         * Number of replicas that must have a message before its schedule call returns, 0 to 100. With 0 a failover may lose
         * messages that no replica had yet.
         */
        private int count;

        /**
         * Maximum time to wait for replicas, 1 ms to 10 minutes. After it the schedule call fails, although the message may
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

    /** Defaults of listeners; attributes of the annotation take precedence. */
    public static class Listener {

        /**
         * Maximum number of messages that a listener handles at the same time, 1 to 10,000. While it takes at most a few
         * milliseconds for each, up to four times as many are prefetched.
         */
        private int concurrency = 10;

        /**
         * Time after which another consumer gets the message of a crashed process, 100 ms to a day. Renewed while a listener
         * runs.
         */
        private Duration lease = Duration.ofSeconds(30);

        /**
         * Maximum time a listener may take for a message; then it is interrupted and the attempt fails. No limit if not set, or
         * if 0.
         */
        private @Nullable Duration timeout;

        /**
         * Number of attempts before a message is dead-lettered; with the default backoff, that is about 3 seconds after the
         * first.
         */
        private int maxAttempts = 3;

        /**
         * Whether to start listeners with the application.
         */
        private boolean autoStartup = true;

        /**
         * Warning for each failed attempt: none, a message, or a message and the stack trace. Timeouts are
         * always logged. So are messages that a handler's end dead-letters, with the stack trace of the failure if there is one.
         */
        private LogFailures logFailures = LogFailures.MESSAGE;

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

        public LogFailures getLogFailures() {
            return logFailures;
        }

        public void setLogFailures(LogFailures logFailures) {
            this.logFailures = logFailures;
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
         * Maximum delay.
         */
        private Duration max = Duration.ofMinutes(10);

        /**
         * Share of the delay, 0 to 1, by which it varies at random.
         */
        private double jitter = 0.1;

        /**
         * Delays after the first attempt, the second and so on; the last one applies to all further attempts. Takes precedence over
         * the growing delay.
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

    /** Payloads as JSON. */
    public static class Json {

        /**
         * Whether to write and read payloads with the application's JsonMapper, and so with spring.jackson.*. Otherwise payloads
         * have a mapper of their own, with Jackson's defaults and the application's modules.
         */
        private boolean applicationMapper;

        public boolean isApplicationMapper() {
            return applicationMapper;
        }

        public void setApplicationMapper(boolean applicationMapper) {
            this.applicationMapper = applicationMapper;
        }
    }

    /** Options of one topic. */
    public static class Topic {

        /**
         * Maximum number of pending messages, scheduled and ready together; 0 for no limit. At the limit scheduling fails.
         */
        private long maxPending;

        /**
         * Time for which dead letters are kept.
         */
        private Duration deadLetterRetention = Duration.ofDays(14);

        /**
         * Minimum number of partitions of the topic, 1 to 256. They spread over the nodes of a Redis Cluster. Redis keeps the
         * largest number that any instance asked for.
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

    /** Health indicator. */
    public static class Health {

        /**
         * Time for which a message may be ready before health is OVERDUE, which does not change the overall status unless
         * management.endpoint.health.status.order says so.
         */
        private Duration overdueThreshold = Duration.ofMinutes(1);

        public Duration getOverdueThreshold() {
            return overdueThreshold;
        }

        public void setOverdueThreshold(Duration overdueThreshold) {
            this.overdueThreshold = overdueThreshold;
        }
    }

    /** Meters. */
    public static class Metrics {

        /**
         * Maximum number of topics with meters of their own. The counters and timers of further topics have the tag topic=other.
         */
        private int maxTopics = 1_000;

        /**
         * Whether the timers delayqueue.delivery.lag and delayqueue.listener have histograms, with fixed buckets from 1 ms to 6 h.
         */
        private boolean histograms = true;

        public boolean isHistograms() {
            return histograms;
        }

        public void setHistograms(boolean histograms) {
            this.histograms = histograms;
        }

        public int getMaxTopics() {
            return maxTopics;
        }

        public void setMaxTopics(int maxTopics) {
            this.maxTopics = maxTopics;
        }
    }

    /** Traces. */
    public static class Tracing {

        /**
         * How the span of a listener's call belongs to the span that scheduled its message.
         */
        private HandlerSpan handlerSpan = HandlerSpan.CHILD;

        public HandlerSpan getHandlerSpan() {
            return handlerSpan;
        }

        public void setHandlerSpan(HandlerSpan handlerSpan) {
            this.handlerSpan = handlerSpan;
        }
    }
}
