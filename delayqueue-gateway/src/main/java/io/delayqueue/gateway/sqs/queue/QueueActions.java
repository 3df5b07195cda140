package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DeleteTopicOutcome;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The actions on queues. They wait for Redis. Safe for use by several threads. */
public final class QueueActions {

    private static final Duration PURGE_INTERVAL = Duration.ofSeconds(60);

    private final DelayQueueClient client;
    private final Queues queues;
    private final NewQueues newQueues;
    private final QueueView views;
    private final Clock clock;
    private final Map<String, Function<QueueCall, ObjectNode>> actions = Map.ofEntries(
            Map.entry("CreateQueue", this::create),
            Map.entry("DeleteQueue", this::delete),
            Map.entry("GetQueueUrl", this::url),
            Map.entry("ListQueues", this::list),
            Map.entry("GetQueueAttributes", this::attributes),
            Map.entry("SetQueueAttributes", this::setAttributes),
            Map.entry("PurgeQueue", this::purge),
            Map.entry("TagQueue", this::tag),
            Map.entry("UntagQueue", this::untag),
            Map.entry("ListQueueTags", this::tags),
            Map.entry("ListDeadLetterSourceQueues", this::sources));

    /**
     * Actions on these queues.
     *
     * @param region region in the ARNs of queues
     * @param maxQueuesPerKey largest number of queues that a key may have created
     */
    public QueueActions(DelayQueueClient client, Queues queues, String region, int maxQueuesPerKey, Clock clock) {
        this.client = client;
        this.queues = queues;
        this.newQueues = new NewQueues(queues, maxQueuesPerKey, clock);
        this.views = new QueueView(client, region);
        this.clock = clock;
    }

    /** The action of this name; null if it is none on a queue. */
    public @Nullable Function<QueueCall, ObjectNode> find(String name) {
        return actions.get(name);
    }

    private ObjectNode create(QueueCall call) {
        return url(call, newQueues.create(call));
    }

    private ObjectNode delete(QueueCall call) {
        Queue queue = operated(call);
        // the messages first: if they can't be deleted, the queue is as it was, and the request can be repeated
        if (!queue.dead()) {
            boolean refilled = client.forceDeleteTopic(queue.topic()) == DeleteTopicOutcome.NOT_EMPTY;
            queues.forgetTopics();
            if (refilled) {
                throw new SqsException(
                        SqsError.SERVICE_UNAVAILABLE,
                        "Messages are sent to " + queue.name()
                                + " as fast as they are deleted. Stop its senders, and repeat the request.");
            }
        }
        queues.store().delete(queue.name());
        return JsonNodeFactory.instance.objectNode();
    }

    private ObjectNode url(QueueCall call) {
        Queue queue = queues.get(call.parameters().required("QueueName"));
        call.requireUse(queue.topic());
        return url(call, queue.name());
    }

    private static ObjectNode url(QueueCall call, String name) {
        return JsonNodeFactory.instance.objectNode().put("QueueUrl", call.baseUrl() + name);
    }

    private ObjectNode list(QueueCall call) {
        String prefix = Objects.requireNonNullElse(call.parameters().text("QueueNamePrefix"), "");
        List<String> found = queues.all().stream()
                .filter(name -> name.startsWith(prefix))
                .filter(name -> call.mayUse(queues.names().topic(name)))
                .toList();
        return page(call, "QueueUrls", found);
    }

    private ObjectNode sources(QueueCall call) {
        Queue queue = queue(call);
        if (!queue.dead()) {
            return JsonNodeFactory.instance.objectNode();
        }
        return page(call, "queueUrls", List.of(queues.names().source(queue.name())));
    }

    /** The token is the last name of the page before. */
    private static ObjectNode page(QueueCall call, String list, List<String> names) {
        Long max = call.parameters().number("MaxResults", 1, 1000);
        String after = Objects.requireNonNullElse(call.parameters().text("NextToken"), "");
        int size = max == null ? 1000 : max.intValue();
        List<String> rest =
                names.stream().filter(name -> name.compareTo(after) > 0).toList();
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        ArrayNode urls = result.putArray(list);
        rest.stream().limit(size).forEach(name -> urls.add(call.baseUrl() + name));
        if (max != null && rest.size() > size) {
            result.put("NextToken", rest.get(size - 1));
        }
        return result;
    }

    private ObjectNode attributes(QueueCall call) {
        Queue queue = queue(call);
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        ObjectNode attributes = result.putObject("Attributes");
        views.attributes(queue, call.parameters().texts("AttributeNames")).forEach(attributes::put);
        return result;
    }

    private ObjectNode setAttributes(QueueCall call) {
        Queue queue = operated(call);
        Map<String, String> changes = call.parameters().textMap("Attributes");
        AttributeRules.check(changes, queues.names().dead(queue.name()));
        queues.store().update(queue.name(), settings -> {
            Map<String, String> attributes = new HashMap<>(settings.attributes());
            attributes.putAll(changes);
            // an empty policy takes the policy away
            attributes.values().removeIf(String::isEmpty);
            return settings.withAttributes(attributes, now());
        });
        return JsonNodeFactory.instance.objectNode();
    }

    private ObjectNode purge(QueueCall call) {
        Queue queue = operated(call);
        if (!queues.store().beginPurge(queue.name())) {
            throw new SqsException(
                    SqsError.PURGE_QUEUE_IN_PROGRESS,
                    "Only one PurgeQueue operation on " + queue.name() + " is allowed every 60 seconds.");
        }
        try {
            purge(queue);
        } catch (RuntimeException e) {
            // or its repetition would be refused, though no purge goes on
            queues.store().endPurge(queue.name(), Duration.ZERO);
            throw e;
        }
        queues.store().endPurge(queue.name(), PURGE_INTERVAL);
        return JsonNodeFactory.instance.objectNode();
    }

    private void purge(Queue queue) {
        if (queue.dead()) {
            client.deadLetters(queue.topic()).purgeOlderThan(Duration.ZERO);
        } else {
            client.pending(queue.topic()).purgeDueUntil(Delay.LATEST);
        }
    }

    private ObjectNode tag(QueueCall call) {
        Queue queue = operated(call);
        Map<String, String> added = call.parameters().textMap("Tags");
        if (added.isEmpty()) {
            throw new SqsException(SqsError.MISSING_PARAMETER, "The request must contain the parameter Tags.");
        }
        TagRules.check(added);
        queues.store().update(queue.name(), settings -> {
            Map<String, String> tags = new HashMap<>(settings.tags());
            tags.putAll(added);
            TagRules.checkCount(queue.name(), tags);
            return settings.withTags(tags, now());
        });
        return JsonNodeFactory.instance.objectNode();
    }

    private ObjectNode untag(QueueCall call) {
        Queue queue = operated(call);
        List<String> removed = call.parameters().texts("TagKeys");
        if (removed.isEmpty()) {
            throw new SqsException(SqsError.MISSING_PARAMETER, "The request must contain the parameter TagKeys.");
        }
        TagRules.checkKeys(removed);
        queues.store().update(queue.name(), settings -> {
            Map<String, String> tags = new HashMap<>(settings.tags());
            removed.forEach(tags::remove);
            return settings.withTags(tags, now());
        });
        return JsonNodeFactory.instance.objectNode();
    }

    private ObjectNode tags(QueueCall call) {
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        ObjectNode tags = result.putObject("Tags");
        queue(call).settings().tags().forEach(tags::put);
        return result;
    }

    private long now() {
        return clock.instant().getEpochSecond();
    }

    private Queue queue(QueueCall call) {
        if (call.queue() == null) {
            throw new SqsException(SqsError.MISSING_PARAMETER, "The request must contain the parameter QueueUrl.");
        }
        Queue queue = queues.get(call.queue());
        call.requireUse(queue.topic());
        return queue;
    }

    private Queue operated(QueueCall call) {
        Queue queue = queue(call);
        call.caller().require(Right.OPERATE, queue.topic());
        return queue;
    }
}
