package io.delayqueue.gateway.callback;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties of all callbacks. */
@ConfigurationProperties("delayqueue.gateway.callbacks")
public class CallbackProperties {

    /**
     * Whether URLs without encryption are allowed.
     */
    private boolean allowHttp;

    /**
     * Hosts that URLs of messages may have: names, *.example.com for all subdomains, or * for all hosts.
     */
    private List<String> hosts = List.of();

    /**
     * Ports that URLs may have. Default: 443, and 80 without encryption.
     */
    private Set<Integer> ports = Set.of();

    /**
     * Addresses to call although they are refused by default, such as 10.1.0.0/16.
     */
    private List<String> allowedRanges = List.of();

    /**
     * Addresses to refuse beside those refused by default. They take precedence over allowed ones.
     */
    private List<String> refusedRanges = List.of();

    /**
     * Maximum time to connect to an address of a host.
     */
    private Duration connectTimeout = Duration.ofSeconds(5);

    /**
     * Maximum time without a byte of the response.
     */
    private Duration responseTimeout = Duration.ofSeconds(15);

    /**
     * Maximum time of a call.
     */
    private Duration totalTimeout = Duration.ofSeconds(30);

    /**
     * Time after which a connection is not used again, so that a host's new addresses are seen.
     */
    private Duration connectionLifeTime = Duration.ofMinutes(1);

    /**
     * Maximum delay that a target may ask for by Retry-After.
     */
    private Duration maxRetryAfter = Duration.ofHours(1);

    /**
     * SSL bundle whose trust store knows the targets' certificates. Default: Java's own.
     */
    private @Nullable String sslBundle;

    /**
     * Limits of each target.
     */
    private final FlowProperties flow = new FlowProperties();

    /**
     * Limits of single targets, by their keys.
     */
    private final Map<String, FlowProperties> flows = new LinkedHashMap<>();

    public boolean isAllowHttp() {
        return allowHttp;
    }

    public void setAllowHttp(boolean allowHttp) {
        this.allowHttp = allowHttp;
    }

    public List<String> getHosts() {
        return hosts;
    }

    public void setHosts(List<String> hosts) {
        this.hosts = hosts;
    }

    public Set<Integer> getPorts() {
        return ports;
    }

    public void setPorts(Set<Integer> ports) {
        this.ports = ports;
    }

    public List<String> getAllowedRanges() {
        return allowedRanges;
    }

    public void setAllowedRanges(List<String> allowedRanges) {
        this.allowedRanges = allowedRanges;
    }

    public List<String> getRefusedRanges() {
        return refusedRanges;
    }

    public void setRefusedRanges(List<String> refusedRanges) {
        this.refusedRanges = refusedRanges;
    }

    public Duration getConnectTimeout() {
        return connectTimeout;
    }

    public void setConnectTimeout(Duration connectTimeout) {
        this.connectTimeout = connectTimeout;
    }

    public Duration getResponseTimeout() {
        return responseTimeout;
    }

    public void setResponseTimeout(Duration responseTimeout) {
        this.responseTimeout = responseTimeout;
    }

    public Duration getTotalTimeout() {
        return totalTimeout;
    }

    public void setTotalTimeout(Duration totalTimeout) {
        this.totalTimeout = totalTimeout;
    }

    public Duration getConnectionLifeTime() {
        return connectionLifeTime;
    }

    public void setConnectionLifeTime(Duration connectionLifeTime) {
        this.connectionLifeTime = connectionLifeTime;
    }

    public Duration getMaxRetryAfter() {
        return maxRetryAfter;
    }

    public void setMaxRetryAfter(Duration maxRetryAfter) {
        this.maxRetryAfter = maxRetryAfter;
    }

    public @Nullable String getSslBundle() {
        return sslBundle;
    }

    public void setSslBundle(@Nullable String sslBundle) {
        this.sslBundle = sslBundle;
    }

    public FlowProperties getFlow() {
        return flow;
    }

    public Map<String, FlowProperties> getFlows() {
        return flows;
    }

    /** Limits of a target. One that is not set is that of {@code flow}. */
    public static class FlowProperties {

        /**
         * Maximum number of calls in a second; no limit if not set.
         */
        private @Nullable Double rate;

        /**
         * Maximum number of calls under way at the same time. Default 10.
         */
        private @Nullable Integer parallelism;

        /**
         * Number of failures in succession after which calls are stopped. Default 5.
         */
        private @Nullable Integer failures;

        /**
         * Time for which calls are stopped at first. Doubled while the target fails. Default 5s.
         */
        private @Nullable Duration initialBreak;

        /**
         * Maximum time for which calls are stopped. Default 1m.
         */
        private @Nullable Duration maxBreak;

        public @Nullable Double getRate() {
            return rate;
        }

        public void setRate(@Nullable Double rate) {
            this.rate = rate;
        }

        public @Nullable Integer getParallelism() {
            return parallelism;
        }

        public void setParallelism(@Nullable Integer parallelism) {
            this.parallelism = parallelism;
        }

        public @Nullable Integer getFailures() {
            return failures;
        }

        public void setFailures(@Nullable Integer failures) {
            this.failures = failures;
        }

        public @Nullable Duration getInitialBreak() {
            return initialBreak;
        }

        public void setInitialBreak(@Nullable Duration initialBreak) {
            this.initialBreak = initialBreak;
        }

        public @Nullable Duration getMaxBreak() {
            return maxBreak;
        }

        public void setMaxBreak(@Nullable Duration maxBreak) {
            this.maxBreak = maxBreak;
        }
    }
}
