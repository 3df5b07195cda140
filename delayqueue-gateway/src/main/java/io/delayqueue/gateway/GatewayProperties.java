package io.delayqueue.gateway;

import io.delayqueue.gateway.security.Right;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** Properties of the gateway. */
@ConfigurationProperties("delayqueue.gateway")
public class GatewayProperties {

    /**
     * Whether to serve the HTTP API.
     */
    private boolean enabled;

    /**
     * Base path of the HTTP API.
     */
    private String path = "/delayqueue/v1";

    /**
     * Whether everyone who reaches the gateway may do everything. Not together with tokens.
     */
    private boolean open;

    /**
     * YAML file with further tokens, under the key "tokens". It may change while the application runs.
     */
    private @Nullable Path tokenFile;

    /**
     * Maximum size of a request's body.
     */
    private DataSize maxBody = DataSize.ofMegabytes(8);

    /**
     * Maximum time for a request's body to arrive.
     */
    private Duration bodyTimeout = Duration.ofSeconds(10);

    /**
     * Maximum number of requests whose bodies are arriving at the same time, in one instance.
     */
    private int maxIncomingBodies = 1_000;

    /**
     * Maximum number of messages in one request.
     */
    private int maxBatch = 500;

    /**
     * Maximum number of requests of one caller in a second; 0 for no limit.
     */
    private int maxRequestsPerSecond;

    /**
     * Tokens of callers, by the caller's name.
     */
    private final Map<String, Token> tokens = new LinkedHashMap<>();

    private final Claims claims = new Claims();

    private final Idempotency idempotency = new Idempotency();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public String getPath() {
        return path;
    }

    public void setPath(String path) {
        this.path = path;
    }

    public boolean isOpen() {
        return open;
    }

    public void setOpen(boolean open) {
        this.open = open;
    }

    public @Nullable Path getTokenFile() {
        return tokenFile;
    }

    public void setTokenFile(@Nullable Path tokenFile) {
        this.tokenFile = tokenFile;
    }

    public int getMaxRequestsPerSecond() {
        return maxRequestsPerSecond;
    }

    public void setMaxRequestsPerSecond(int maxRequestsPerSecond) {
        this.maxRequestsPerSecond = maxRequestsPerSecond;
    }

    public DataSize getMaxBody() {
        return maxBody;
    }

    public void setMaxBody(DataSize maxBody) {
        this.maxBody = maxBody;
    }

    public Duration getBodyTimeout() {
        return bodyTimeout;
    }

    public void setBodyTimeout(Duration bodyTimeout) {
        this.bodyTimeout = bodyTimeout;
    }

    public int getMaxIncomingBodies() {
        return maxIncomingBodies;
    }

    public void setMaxIncomingBodies(int maxIncomingBodies) {
        this.maxIncomingBodies = maxIncomingBodies;
    }

    public int getMaxBatch() {
        return maxBatch;
    }

    public void setMaxBatch(int maxBatch) {
        this.maxBatch = maxBatch;
    }

    public Map<String, Token> getTokens() {
        return tokens;
    }

    public Claims getClaims() {
        return claims;
    }

    public Idempotency getIdempotency() {
        return idempotency;
    }

    /** Properties of a token. */
    public static class Token {

        /**
         * SHA-256 of the token, in hexadecimal digits.
         */
        private String sha256 = "";

        /**
         * Rights of the caller that uses this token.
         */
        private Set<Right> rights = Set.of();

        /**
         * Topics to which the rights apply; an asterisk stands for any characters.
         */
        private List<String> topics = List.of();

        public String getSha256() {
            return sha256;
        }

        public void setSha256(String sha256) {
            this.sha256 = sha256;
        }

        public Set<Right> getRights() {
            return rights;
        }

        public void setRights(Set<Right> rights) {
            this.rights = rights;
        }

        public List<String> getTopics() {
            return topics;
        }

        public void setTopics(List<String> topics) {
            this.topics = topics;
        }
    }

    /** Properties of claims. */
    public static class Claims {

        /**
         * Maximum number of messages that one claim returns.
         */
        private int maxMessages = 100;

        /**
         * Maximum time that a claim may wait for messages.
         */
        private Duration maxWait = Duration.ofSeconds(60);

        /**
         * Maximum number of claims of one topic that wait at the same time, in one instance.
         */
        private int maxWaiting = 10_000;

        /**
         * Lease of claimed messages, for claims that name none.
         */
        private Duration lease = Duration.ofSeconds(30);

        /**
         * Lease of claimed messages until the answer is written to the client.
         */
        private Duration deliveryLease = Duration.ofSeconds(5);

        /**
         * Maximum time for a client to read the answer to its claim.
         */
        private Duration answerTimeout = Duration.ofSeconds(30);

        /**
         * Maximum memory for the messages of answers that are being written; a message counts three times. Default: a sixteenth of the
         * heap.
         */
        private @Nullable DataSize maxAnswerMemory;

        /**
         * Number of attempts before a message is dead-lettered, for messages that set none.
         */
        private int maxAttempts = 3;

        /**
         * Time after which the consumer of a topic without claims is closed.
         */
        private Duration idleTimeout = Duration.ofMinutes(10);

        public int getMaxMessages() {
            return maxMessages;
        }

        public void setMaxMessages(int maxMessages) {
            this.maxMessages = maxMessages;
        }

        public Duration getMaxWait() {
            return maxWait;
        }

        public void setMaxWait(Duration maxWait) {
            this.maxWait = maxWait;
        }

        public int getMaxWaiting() {
            return maxWaiting;
        }

        public void setMaxWaiting(int maxWaiting) {
            this.maxWaiting = maxWaiting;
        }

        public Duration getLease() {
            return lease;
        }

        public void setLease(Duration lease) {
            this.lease = lease;
        }

        public Duration getDeliveryLease() {
            return deliveryLease;
        }

        public void setDeliveryLease(Duration deliveryLease) {
            this.deliveryLease = deliveryLease;
        }

        public Duration getAnswerTimeout() {
            return answerTimeout;
        }

        public void setAnswerTimeout(Duration answerTimeout) {
            this.answerTimeout = answerTimeout;
        }

        public @Nullable DataSize getMaxAnswerMemory() {
            return maxAnswerMemory;
        }

        public void setMaxAnswerMemory(@Nullable DataSize maxAnswerMemory) {
            this.maxAnswerMemory = maxAnswerMemory;
        }

        public int getMaxAttempts() {
            return maxAttempts;
        }

        public void setMaxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
        }

        public Duration getIdleTimeout() {
            return idleTimeout;
        }

        public void setIdleTimeout(Duration idleTimeout) {
            this.idleTimeout = idleTimeout;
        }
    }

    /** Properties of repeated requests. */
    public static class Idempotency {

        /**
         * Time for which the answer to a request with an Idempotency-Key is kept.
         */
        private Duration retention = Duration.ofHours(24);

        /**
         * Time after which a request without an answer is taken for lost, and may be repeated.
         */
        private Duration lost = Duration.ofSeconds(60);

        public Duration getRetention() {
            return retention;
        }

        public void setRetention(Duration retention) {
            this.retention = retention;
        }

        public Duration getLost() {
            return lost;
        }

        public void setLost(Duration lost) {
            this.lost = lost;
        }
    }
}
