package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Names of queues and their topics: the same, unless configured.
 *
 * @param topics topics by queue, where the names differ
 * @param deadSuffix end of the names of dead-letter queues
 */
public record QueueNames(Map<String, String> topics, String deadSuffix) {

    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9_-]{1,80}");

    public QueueNames {
        topics = Map.copyOf(topics);
    }

    /**
     * Refuses a name that no queue can have.
     *
     * @throws SqsException with SQS' error; queues of type FIFO are refused as SQS does where it has none
     */
    public static void requireValid(String name) {
        if (name.endsWith(".fifo")) {
            throw new SqsException(SqsError.UNSUPPORTED_OPERATION, "FIFO queues are not supported.");
        }
        if (!isValid(name)) {
            throw new SqsException(
                    SqsError.INVALID_PARAMETER_VALUE,
                    "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length");
        }
    }

    /** The ARN of a queue. */
    public static String arn(String region, String name) {
        return "arn:aws:sqs:" + region + ":000000000000:" + name;
    }

    /** Whether a queue may have this name. */
    static boolean isValid(String name) {
        return VALID.matcher(name).matches();
    }

    /** Whether this is the name of a dead-letter queue. */
    public boolean isDead(String name) {
        return name.endsWith(deadSuffix) && name.length() > deadSuffix.length();
    }

    /**
     * Refuses the name of a dead-letter queue of a dead-letter queue.
     *
     * @throws SqsException with the name
     */
    void requireOneDeadSuffix(String name) {
        if (isDead(name) && isDead(source(name))) {
            throw new SqsException(
                    SqsError.INVALID_PARAMETER_VALUE,
                    "The name " + name + " ends twice with " + deadSuffix
                            + ", and a dead-letter queue has no dead-letter queue of its own.");
        }
    }

    /** Whether a topic has a queue by its own name: it is no name of a dead-letter queue. */
    boolean hasQueue(String topic) {
        return topics.containsValue(topic) || isValid(topic) && !isDead(topic) && !topics.containsKey(topic);
    }

    /** Topic of a queue, or of the queue whose dead letters it has. */
    public String topic(String name) {
        String queue = isDead(name) ? source(name) : name;
        return topics.getOrDefault(queue, queue);
    }

    /** Name of the queue of a topic. */
    public String queue(String topic) {
        for (Map.Entry<String, String> entry : topics.entrySet()) {
            if (entry.getValue().equals(topic)) {
                return entry.getKey();
            }
        }
        return topic;
    }

    /** Name of the queue whose dead letters a dead-letter queue has. */
    public String source(String deadName) {
        return deadName.substring(0, deadName.length() - deadSuffix.length());
    }

    /** Name of the queue of the dead letters of a queue. */
    public String dead(String name) {
        return name + deadSuffix;
    }
}
