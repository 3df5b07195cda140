package io.delayqueue.gateway.sqs;

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

/** Properties of the endpoint for SQS clients. */
@ConfigurationProperties("delayqueue.gateway.sqs")
public class SqsProperties {

    /**
     * Whether to serve SQS clients.
     */
    private boolean enabled;

    /**
     * Path before those of queues; empty for the root.
     */
    private String path = "";

    /**
     * Scheme and host in the URLs of queues, such as https://sqs.example.com. Default: those of the request.
     */
    private @Nullable String url;

    /**
     * Region in the ARNs of queues.
     */
    private String region = "us-east-1";

    /**
     * Suffix of the names of dead-letter queues.
     */
    private String deadSuffix = "-dead";

    /**
     * Number of receives of a message before it is dead-lettered, in queues without a redrive policy.
     */
    private int maxReceiveCount = 1_000_000;

    /**
     * Lease of received messages until the response is written. Applies to queues whose visibility timeout is shorter than this or longer
     * than a minute. In every queue, a response waits for a thread for half of this time at most.
     */
    private Duration deliveryLease = Duration.ofSeconds(5);

    /**
     * Maximum size of a request's body.
     */
    private DataSize maxBody = DataSize.ofMegabytes(8);

    /**
     * Maximum time for a request's body to arrive.
     */
    private Duration bodyTimeout = Duration.ofSeconds(10);

    /**
     * Maximum time for a client to read its answer.
     */
    private Duration answerTimeout = Duration.ofSeconds(30);

    /**
     * Maximum memory for the bodies of requests, in one instance. Default: a sixteenth of the heap.
     */
    private @Nullable DataSize maxRequestMemory;

    /**
     * Maximum memory for answers with messages, in one instance. Default: a sixteenth of the heap.
     */
    private @Nullable DataSize maxAnswerMemory;

    /**
     * Maximum number of queues that one key has created.
     */
    private int maxQueuesPerKey = 1_000;

    /**
     * Maximum number of queues from which one key receives messages at the same time, in one instance.
     */
    private int maxQueuesInUsePerKey = 500;

    /**
     * Key pairs that sign requests, by the access key id.
     */
    private final Map<String, Key> keys = new LinkedHashMap<>();

    /**
     * YAML file with further key pairs, which may change while the application runs.
     */
    private @Nullable Path keyFile;

    /**
     * Topics of queues that have another name than their topic, by the queue's name.
     */
    private final Map<String, QueueOfTopic> queues = new LinkedHashMap<>();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable Path getKeyFile() {
        return keyFile;
    }

    public void setKeyFile(@Nullable Path keyFile) {
        this.keyFile = keyFile;
    }

    public String getPath() {
        return path;
    }

    public void setPath(String path) {
        this.path = path;
    }

    public @Nullable String getUrl() {
        return url;
    }

    public void setUrl(@Nullable String url) {
        this.url = url;
    }

    public String getRegion() {
        return region;
    }

    public void setRegion(String region) {
        this.region = region;
    }

    public String getDeadSuffix() {
        return deadSuffix;
    }

    public void setDeadSuffix(String deadSuffix) {
        this.deadSuffix = deadSuffix;
    }

    public int getMaxReceiveCount() {
        return maxReceiveCount;
    }

    public void setMaxReceiveCount(int maxReceiveCount) {
        this.maxReceiveCount = maxReceiveCount;
    }

    public Duration getDeliveryLease() {
        return deliveryLease;
    }

    public void setDeliveryLease(Duration deliveryLease) {
        this.deliveryLease = deliveryLease;
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

    public Duration getAnswerTimeout() {
        return answerTimeout;
    }

    public void setAnswerTimeout(Duration answerTimeout) {
        this.answerTimeout = answerTimeout;
    }

    public @Nullable DataSize getMaxRequestMemory() {
        return maxRequestMemory;
    }

    public void setMaxRequestMemory(@Nullable DataSize maxRequestMemory) {
        this.maxRequestMemory = maxRequestMemory;
    }

    public @Nullable DataSize getMaxAnswerMemory() {
        return maxAnswerMemory;
    }

    public void setMaxAnswerMemory(@Nullable DataSize maxAnswerMemory) {
        this.maxAnswerMemory = maxAnswerMemory;
    }

    public int getMaxQueuesPerKey() {
        return maxQueuesPerKey;
    }

    public void setMaxQueuesPerKey(int maxQueuesPerKey) {
        this.maxQueuesPerKey = maxQueuesPerKey;
    }

    public int getMaxQueuesInUsePerKey() {
        return maxQueuesInUsePerKey;
    }

    public void setMaxQueuesInUsePerKey(int maxQueuesInUsePerKey) {
        this.maxQueuesInUsePerKey = maxQueuesInUsePerKey;
    }

    public Map<String, Key> getKeys() {
        return keys;
    }

    public Map<String, QueueOfTopic> getQueues() {
        return queues;
    }

    /** Properties of a key pair. */
    public static class Key {

        /**
         * Secret access key. It can't be stored hashed: signatures are checked with it.
         */
        private String secret = "";

        /**
         * Rights of the caller that uses this key pair.
         */
        private Set<Right> rights = Set.of();

        /**
         * Topics to which the rights apply; an asterisk stands for any characters.
         */
        private List<String> topics = List.of();

        public String getSecret() {
            return secret;
        }

        public void setSecret(String secret) {
            this.secret = secret;
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

    /** Properties of a queue. */
    public static class QueueOfTopic {

        /**
         * Topic of the queue.
         */
        private String topic = "";

        public String getTopic() {
            return topic;
        }

        public void setTopic(String topic) {
            this.topic = topic;
        }
    }
}
