package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Clock;
import java.util.Map;
import java.util.Objects;

/** Creates queues: those whose names can be told from others', and not too many for each key. */
final class NewQueues {

    private final Queues queues;
    private final int maxQueuesPerKey;
    private final Clock clock;

    NewQueues(Queues queues, int maxQueuesPerKey, Clock clock) {
        this.queues = queues;
        this.maxQueuesPerKey = maxQueuesPerKey;
        this.clock = clock;
    }

    /** Creates the queue of a request, unless there is one with these attributes. Returns its name. */
    String create(QueueCall call) {
        String name = call.parameters().required("QueueName");
        QueueNames.requireValid(name);
        queues.names().requireOneDeadSuffix(name);
        String topic = queues.names().topic(name);
        requireRight(call, topic);
        Map<String, String> attributes = call.parameters().textMap("Attributes");
        // an empty policy is none
        attributes.values().removeIf(String::isEmpty);
        if (Boolean.parseBoolean(attributes.get("FifoQueue"))) {
            throw new SqsException(SqsError.UNSUPPORTED_OPERATION, "FIFO queues are not supported.");
        }
        AttributeRules.check(attributes, queues.names().dead(name));
        Map<String, String> tags = call.parameters().textMap("tags");
        TagRules.check(tags);
        TagRules.checkCount(name, tags);
        QueueSettings kept = queues.store().readNow(name);
        if (kept == null && !create(call, name, attributes, tags)) {
            kept = queues.store().readNow(name);
        }
        if (kept != null) {
            requireSame(kept, attributes);
        }
        return name;
    }

    /** The attributes of a topic that others use already are for its operators. */
    private void requireRight(QueueCall call, String topic) {
        if (call.caller().may(Right.OPERATE, topic)) {
            return;
        }
        call.caller().require(Right.PRODUCE, topic);
        boolean changes = !call.parameters().textMap("Attributes").isEmpty()
                || !call.parameters().textMap("tags").isEmpty();
        if (changes
                && queues.isTopicNow(topic)
                && !queues.isCreated(call.parameters().required("QueueName"))) {
            call.caller().require(Right.OPERATE, topic);
        }
    }

    private boolean create(QueueCall call, String name, Map<String, String> attributes, Map<String, String> tags) {
        queues.requireNoTopicOfThisName(name);
        String creator = call.caller().name();
        if (!queues.store().reserve(creator, name, maxQueuesPerKey)) {
            throw new SqsException(
                    SqsError.OVER_LIMIT,
                    "The key " + creator + " has created " + maxQueuesPerKey
                            + " queues, as many as delayqueue.gateway.sqs.max-queues-per-key allows. Delete some of them.");
        }
        long now = clock.instant().getEpochSecond();
        boolean created = queues.store().create(name, new QueueSettings(attributes, tags, now, now, creator));
        QueueSettings winner = created ? null : queues.store().readNow(name);
        if (winner != null && !creator.equals(winner.creator())) {
            queues.store().release(creator, name);
        }
        return created;
    }

    /** Attributes that the client does not name may be anything. */
    private static void requireSame(QueueSettings kept, Map<String, String> attributes) {
        attributes.forEach((attribute, value) -> {
            if (!Objects.equals(value, QueueView.setting(kept, attribute))) {
                throw new SqsException(
                        SqsError.QUEUE_NAME_EXISTS,
                        "A queue already exists with the same name and a different value for attribute " + attribute);
            }
        });
    }
}
