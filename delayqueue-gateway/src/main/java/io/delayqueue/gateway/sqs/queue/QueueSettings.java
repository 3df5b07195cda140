package io.delayqueue.gateway.sqs.queue;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * All that is kept of a queue.
 *
 * @param attributes attributes that a client set, by their names
 * @param tags tags by their keys
 * @param created seconds since 1970
 * @param modified seconds since 1970, of the last change of an attribute
 * @param creator access key id that created the queue; null if nobody did
 */
public record QueueSettings(
        Map<String, String> attributes,
        Map<String, String> tags,
        long created,
        long modified,
        @Nullable String creator) {

    /** Settings of a queue that nobody created: a topic. */
    static final QueueSettings NONE = new QueueSettings(Map.of(), Map.of(), 0, 0, null);

    private static final JsonMapper MAPPER = new JsonMapper();

    public QueueSettings {
        attributes = Map.copyOf(attributes);
        tags = Map.copyOf(tags);
    }

    static QueueSettings parse(String json) {
        return MAPPER.readValue(json, QueueSettings.class);
    }

    /** These settings with other attributes, changed now. */
    QueueSettings withAttributes(Map<String, String> changed, long now) {
        return new QueueSettings(changed, tags, created == 0 ? now : created, now, creator);
    }

    /** These settings with other tags, changed now. */
    QueueSettings withTags(Map<String, String> changed, long now) {
        return new QueueSettings(
                attributes, changed, created == 0 ? now : created, modified == 0 ? now : modified, creator);
    }

    String json() {
        return MAPPER.writeValueAsString(this);
    }

    /** Lease of received messages, unless the client asks for another. */
    public Duration visibilityTimeout() {
        return seconds("VisibilityTimeout", 30);
    }

    /** Delay of messages that have none of their own. */
    public Duration delay() {
        return seconds("DelaySeconds", 0);
    }

    /** Wait for messages, unless the client asks for another. */
    public Duration receiveWait() {
        return seconds("ReceiveMessageWaitTimeSeconds", 0);
    }

    /** Receives of a message before it becomes a dead letter; null without a redrive policy. */
    public @Nullable Integer maxReceiveCount() {
        String policy = attributes.get("RedrivePolicy");
        return policy == null ? null : RedrivePolicy.parse(policy).maxReceiveCount();
    }

    private Duration seconds(String attribute, long otherwise) {
        String value = attributes.get(attribute);
        return Duration.ofSeconds(value == null ? otherwise : Long.parseLong(value));
    }
}
