package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.gateway.sqs.SqsProperties;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;
import org.springframework.util.unit.DataSize;

/** Refuses properties of the endpoint for SQS clients that can't work, by the property's name. */
final class SqsPropertyRules {

    private static final String PREFIX = "delayqueue.gateway.sqs.";

    /** A message of 1 MiB is in memory about three times until it is written. */
    private static final long MIN_IN_HAND = DataSize.ofMegabytes(4).toBytes();

    private SqsPropertyRules() {}

    static void check(SqsProperties properties) {
        String path = properties.getPath();
        if (!path.isEmpty() && !path.matches("(/[A-Za-z0-9._~-]+)+/?")) {
            throw invalid("path", path, "It is empty, or begins with a slash.");
        }
        String url = properties.getUrl();
        if (url != null && !url.matches("https?://[^/?#\\s]+")) {
            throw invalid("url", url, "It has scheme, host and perhaps a port: https://sqs.example.com.");
        }
        if (!properties.getDeadSuffix().matches("[A-Za-z0-9_-]{1,40}")) {
            throw invalid("dead-suffix", properties.getDeadSuffix(), "It has 1 to 40 of A-Z a-z 0-9 _ -.");
        }
        if (properties.getMaxReceiveCount() < 1) {
            throw invalid("max-receive-count", properties.getMaxReceiveCount(), "It is 1 or more.");
        }
        long maxBody = properties.getMaxBody().toBytes();
        if (maxBody < 1 || maxBody >= Integer.MAX_VALUE) {
            throw invalid("max-body", properties.getMaxBody(), "It is from 1B to 2047MB.");
        }
        checkLimits(properties);
        checkQueues(properties);
        properties.getKeys().forEach(SqsPropertyRules::check);
    }

    /** Refuses an incomplete key pair, and quotes no secret. */
    static void check(String id, SqsProperties.Key key) {
        String name = "keys." + id + ".";
        if (!StringUtils.hasText(key.getSecret())) {
            // the value is no secret
            throw invalid(name + "secret", key.getSecret(), "Each key pair has a secret.");
        }
        if (key.getRights().isEmpty()) {
            throw invalid(name + "rights", key.getRights(), "Each key pair has some of produce, consume and operate.");
        }
        if (key.getTopics().isEmpty()) {
            throw invalid(name + "topics", key.getTopics(), "Each key pair has topics; * stands for all.");
        }
    }

    private static void checkLimits(SqsProperties properties) {
        requireTime("body-timeout", properties.getBodyTimeout(), Duration.ofMillis(100), Duration.ofHours(1));
        requireTime("answer-timeout", properties.getAnswerTimeout(), Duration.ofMillis(100), Duration.ofHours(1));
        requireTime("delivery-lease", properties.getDeliveryLease(), Duration.ofSeconds(1), Duration.ofHours(12));
        requireSize("max-request-memory", properties.getMaxRequestMemory());
        requireSize("max-answer-memory", properties.getMaxAnswerMemory());
        if (properties.getMaxQueuesPerKey() < 1) {
            throw invalid("max-queues-per-key", properties.getMaxQueuesPerKey(), "It is 1 or more.");
        }
        if (properties.getMaxQueuesInUsePerKey() < 1) {
            throw invalid("max-queues-in-use-per-key", properties.getMaxQueuesInUsePerKey(), "It is 1 or more.");
        }
    }

    private static void requireTime(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw invalid(name, value, "It is from " + least.toMillis() + "ms to " + most.toHours() + "h.");
        }
    }

    private static void requireSize(String name, @Nullable DataSize value) {
        if (value != null && value.toBytes() < MIN_IN_HAND) {
            throw invalid(name, value, "It is 4MB or more: a largest message must fit.");
        }
    }

    /** Names that could not be told from others'. */
    private static void checkQueues(SqsProperties properties) {
        Map<String, String> queues = new HashMap<>();
        String deadSuffix = properties.getDeadSuffix();
        properties.getQueues().forEach((queue, of) -> {
            String name = "queues." + queue;
            String topic = of.getTopic();
            if (!StringUtils.hasText(topic)) {
                throw invalid(name + ".topic", topic, "A queue has a topic.");
            }
            if (!queue.matches("[A-Za-z0-9_-]{1,80}")) {
                throw invalid(name + ".topic", topic, "The name of a queue has 1 to 80 of A-Z a-z 0-9 _ -.");
            }
            if (queue.endsWith(deadSuffix)) {
                throw invalid(
                        name + ".topic",
                        topic,
                        "Names of queues that end with " + deadSuffix + " are those of dead-letter queues.");
            }
            String other = queues.put(topic, queue);
            if (other != null) {
                throw invalid(name + ".topic", topic, "It is the topic of the queue " + other + " already.");
            }
        });
    }

    private static InvalidConfigurationPropertyValueException invalid(String name, Object value, String reason) {
        return new InvalidConfigurationPropertyValueException(PREFIX + name, value, reason);
    }
}
