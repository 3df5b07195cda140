package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.gateway.sqs.SqsProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/** Refuses properties of the endpoint for SQS clients that can't work, by the property's name. */
final class SqsPropertyRules {

    private static final String PREFIX = "delayqueue.gateway.sqs.";

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
        properties.getKeys().forEach((id, key) -> {
            String name = "keys." + id + ".";
            if (!StringUtils.hasText(key.getSecret())) {
                // the value is no secret
                throw invalid(name + "secret", key.getSecret(), "Each key pair has a secret.");
            }
            if (key.getRights().isEmpty()) {
                throw invalid(
                        name + "rights", key.getRights(), "Each key pair has some of produce, consume and operate.");
            }
            if (key.getTopics().isEmpty()) {
                throw invalid(name + "topics", key.getTopics(), "Each key pair has topics; * stands for all.");
            }
        });
        properties.getQueues().forEach((queue, of) -> {
            if (!StringUtils.hasText(of.getTopic())) {
                throw invalid("queues." + queue + ".topic", of.getTopic(), "A queue has a topic.");
            }
        });
    }

    private static InvalidConfigurationPropertyValueException invalid(String name, Object value, String reason) {
        return new InvalidConfigurationPropertyValueException(PREFIX + name, value, reason);
    }
}
