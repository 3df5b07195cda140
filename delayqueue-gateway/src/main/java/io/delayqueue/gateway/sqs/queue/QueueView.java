package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Attributes of a queue as clients see them. */
final class QueueView {

    private static final Map<String, String> DEFAULTS = Map.of(
            "VisibilityTimeout", "30",
            "DelaySeconds", "0",
            "ReceiveMessageWaitTimeSeconds", "0",
            "MessageRetentionPeriod", "345600",
            "MaximumMessageSize", "1048576");

    private static final Set<String> KNOWN = Set.of(
            "All",
            "VisibilityTimeout",
            "DelaySeconds",
            "ReceiveMessageWaitTimeSeconds",
            "MessageRetentionPeriod",
            "MaximumMessageSize",
            "RedrivePolicy",
            "QueueArn",
            "CreatedTimestamp",
            "LastModifiedTimestamp",
            "ApproximateNumberOfMessages",
            "ApproximateNumberOfMessagesDelayed",
            "ApproximateNumberOfMessagesNotVisible",
            "SqsManagedSseEnabled",
            "Policy",
            "RedriveAllowPolicy",
            "KmsMasterKeyId",
            "KmsDataKeyReusePeriodSeconds",
            "FifoQueue",
            "ContentBasedDeduplication",
            "DeduplicationScope",
            "FifoThroughputLimit");

    private final DelayQueueClient client;
    private final String region;

    QueueView(DelayQueueClient client, String region) {
        this.client = client;
        this.region = region;
    }

    /** An attribute that a client can set; null if it has no value. */
    static @Nullable String setting(QueueSettings settings, String name) {
        return settings.attributes().getOrDefault(name, DEFAULTS.get(name));
    }

    /** The attributes of these names that the queue has. */
    Map<String, String> attributes(Queue queue, List<String> names) {
        for (String name : names) {
            if (!KNOWN.contains(name)) {
                throw new SqsException(SqsError.INVALID_ATTRIBUTE_NAME, "Unknown Attribute " + name + ".");
            }
        }
        Map<String, String> attributes = new LinkedHashMap<>(DEFAULTS);
        attributes.putAll(queue.settings().attributes());
        attributes.put("QueueArn", QueueNames.arn(region, queue.name()));
        attributes.put("CreatedTimestamp", String.valueOf(queue.settings().created()));
        attributes.put("LastModifiedTimestamp", String.valueOf(queue.settings().modified()));
        attributes.put("SqsManagedSseEnabled", "false");
        if (names.stream().anyMatch(name -> name.equals("All") || name.startsWith("Approximate"))) {
            putNumbers(queue, attributes);
        }
        if (!names.contains("All")) {
            attributes.keySet().retainAll(Set.copyOf(names));
        }
        return attributes;
    }

    private void putNumbers(Queue queue, Map<String, String> attributes) {
        TopicStats stats = client.stats(queue.topic());
        long visible = queue.dead() ? stats.dead() : stats.pending().ready();
        attributes.put("ApproximateNumberOfMessages", String.valueOf(visible));
        attributes.put(
                "ApproximateNumberOfMessagesDelayed",
                String.valueOf(queue.dead() ? 0 : stats.pending().scheduled()));
        attributes.put("ApproximateNumberOfMessagesNotVisible", String.valueOf(queue.dead() ? 0 : stats.inFlight()));
    }
}
