package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.Map;

/** Attributes that a client may set on a queue. */
final class AttributeRules {

    private record Range(long least, long most) {}

    /** The last two are kept, but have no effect. */
    private static final Map<String, Range> NUMBERS = Map.of(
            "VisibilityTimeout", new Range(0, Duration.ofHours(12).toSeconds()),
            "DelaySeconds", new Range(0, Duration.ofDays(36_525).toSeconds()),
            "ReceiveMessageWaitTimeSeconds", new Range(0, 20),
            "MessageRetentionPeriod", new Range(60, Duration.ofDays(14).toSeconds()),
            "MaximumMessageSize", new Range(1024, 1024 * 1024));

    private AttributeRules() {}

    /**
     * Refuses attributes that the queue can't have.
     *
     * @param dead name of its dead-letter queue
     */
    static void check(Map<String, String> attributes, String dead) {
        attributes.forEach((name, value) -> {
            Range range = NUMBERS.get(name);
            if (range != null) {
                requireNumber(name, value, range);
            } else if (name.equals("RedrivePolicy")) {
                requireOwnDeadLetters(value, dead);
            } else if (name.equals("Policy") || name.equals("RedriveAllowPolicy")) {
                throw new SqsException(
                        SqsError.UNSUPPORTED_OPERATION, "Policies are not supported: rights are configured.");
            } else {
                throw new SqsException(SqsError.INVALID_ATTRIBUTE_NAME, "Unknown Attribute " + name + ".");
            }
        });
    }

    private static void requireNumber(String name, String value, Range range) {
        long number;
        try {
            number = Long.parseLong(value);
        } catch (NumberFormatException e) {
            number = -1;
        }
        if (number < range.least || number > range.most) {
            throw new SqsException(
                    SqsError.INVALID_ATTRIBUTE_VALUE,
                    "Invalid value for the parameter " + name + ": from " + range.least + " to " + range.most + ".");
        }
    }

    private static void requireOwnDeadLetters(String policy, String dead) {
        if (policy.isEmpty()) {
            return;
        }
        String target = RedrivePolicy.parse(policy).deadQueue();
        if (!target.equals(dead)) {
            throw new SqsException(
                    SqsError.INVALID_PARAMETER_VALUE,
                    "Value " + policy
                            + " for parameter RedrivePolicy is invalid. Reason: the dead letters of this queue are in "
                            + dead + ", not in " + target + ".");
        }
    }
}
