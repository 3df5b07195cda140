package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The redrive policy of a queue.
 *
 * @param deadQueue name of the dead-letter queue
 * @param maxReceiveCount receives of a message before it goes there
 */
record RedrivePolicy(String deadQueue, int maxReceiveCount) {

    private static final JsonMapper MAPPER = new JsonMapper();

    /**
     * Reads it.
     *
     * @throws SqsException if it is not as SQS wants it
     */
    static RedrivePolicy parse(String json) {
        JsonNode tree;
        try {
            tree = MAPPER.readTree(json);
        } catch (JacksonException e) {
            throw invalid(json, "Redrive policy is not a valid JSON map");
        }
        String arn = tree.path("deadLetterTargetArn").asString("");
        // a number, or a text with a number
        int count = tree.path("maxReceiveCount").asInt(0);
        if (arn.isEmpty()) {
            throw invalid(json, "Redrive policy does not contain mandatory attribute: deadLetterTargetArn");
        }
        if (count < 1 || count > 1000) {
            throw invalid(json, "Invalid value for maxReceiveCount: valid values are from 1 to 1000 both inclusive");
        }
        return new RedrivePolicy(arn.substring(arn.lastIndexOf(':') + 1), count);
    }

    private static SqsException invalid(String json, String reason) {
        return new SqsException(
                SqsError.INVALID_PARAMETER_VALUE,
                "Value " + json + " for parameter RedrivePolicy is invalid. Reason: " + reason + ".");
    }
}
