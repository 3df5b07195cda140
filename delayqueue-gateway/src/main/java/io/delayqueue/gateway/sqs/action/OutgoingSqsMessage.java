package io.delayqueue.gateway.sqs.action;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.sqs.MessageAttributes;
import io.delayqueue.gateway.sqs.MessageId;
import io.delayqueue.gateway.sqs.protocol.MessageCharacters;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A message that a client sends, alone or as an entry of a batch.
 *
 * @param message the message to schedule
 * @param attributes its attributes
 * @param systemAttributes its system attributes: the trace, or none
 * @param size its size as SQS counts it: body and attributes
 */
record OutgoingSqsMessage(
        OutgoingMessage message, MessageAttributes attributes, MessageAttributes systemAttributes, int size) {

    /** Header with the attributes as JSON. */
    static final String ATTRIBUTES_HEADER = "sqs-attributes";

    /** Header with the time of sending, in milliseconds since 1970. */
    static final String SENT_HEADER = "sqs-sent";

    /** Header with the name of the sender. */
    static final String SENDER_HEADER = "sqs-sender";

    /** Header with the group of a message, which a queue that keeps no order carries only. */
    static final String GROUP_HEADER = "sqs-group";

    /** Largest size of a message, and of all of a batch together. */
    static final int MAX_SIZE = 1024 * 1024;

    /** A hundred years: SQS' own limit of 15 minutes is not kept. */
    private static final long MAX_DELAY_SECONDS = Duration.ofDays(36_525).toSeconds();

    /**
     * Reads it.
     *
     * @param queueDelay delay of messages that set none
     * @throws SqsException if SQS would refuse it, but for a longer delay
     */
    static OutgoingSqsMessage of(String topic, String sender, Duration queueDelay, Parameters parameters) {
        byte[] payload = body(parameters).getBytes(StandardCharsets.UTF_8);
        MessageAttributes attributes = MessageAttributes.of(parameters.structureMap("MessageAttributes"));
        MessageAttributes systemAttributes = TraceHeader.read(parameters);
        requireStandard(parameters);
        int size = payload.length + attributes.size();
        if (size > MAX_SIZE) {
            throw new SqsException(
                    SqsError.INVALID_PARAMETER_VALUE,
                    "One or more parameters are invalid. Reason: Message must be shorter than " + MAX_SIZE + " bytes.");
        }
        Long delay = parameters.number("DelaySeconds", 0, MAX_DELAY_SECONDS);
        OutgoingMessage.Builder message = OutgoingMessage.to(topic)
                .payload(payload)
                .delay(delay == null ? queueDelay : Duration.ofSeconds(delay));
        TraceHeader.copyTo(message, parameters);
        String group = parameters.text("MessageGroupId");
        if (group != null && !group.isEmpty()) {
            message.header(GROUP_HEADER, group);
        }
        message.header(SENDER_HEADER, sender);
        message.header(SENT_HEADER, String.valueOf(System.currentTimeMillis()));
        if (!attributes.isEmpty()) {
            message.header(ATTRIBUTES_HEADER, attributes.toTree().toString());
        }
        try {
            return new OutgoingSqsMessage(message.build(), attributes, systemAttributes, size);
        } catch (IllegalArgumentException e) {
            throw new SqsException(
                    SqsError.INVALID_PARAMETER_VALUE, "The message attributes have more than 65,536 characters.");
        }
    }

    /** Size of a message as SQS counts it, 0 without a body; nothing of it is checked. */
    static long size(Parameters parameters) {
        String body = parameters.text("MessageBody");
        if (body == null) {
            return 0;
        }
        long size = body.getBytes(StandardCharsets.UTF_8).length;
        for (Map.Entry<String, Parameters> attribute :
                parameters.structureMap("MessageAttributes").entrySet()) {
            size += attribute.getKey().length();
            for (String name : List.of("DataType", "StringValue", "BinaryValue")) {
                String value = attribute.getValue().text(name);
                size += value == null ? 0 : value.getBytes(StandardCharsets.UTF_8).length;
            }
        }
        return size;
    }

    /** A group is for fair queues too; a deduplication id is for FIFO queues only. */
    private static void requireStandard(Parameters parameters) {
        if (parameters.text("MessageDeduplicationId") != null) {
            throw new SqsException(
                    SqsError.INVALID_PARAMETER_VALUE,
                    "Value for parameter MessageDeduplicationId is invalid. Reason: The request includes a parameter that is not"
                            + " valid for this queue type.");
        }
    }

    private static String body(Parameters parameters) {
        String body = parameters.required("MessageBody");
        if (body.isEmpty()) {
            throw new SqsException(SqsError.MISSING_PARAMETER, "The request must contain the parameter MessageBody.");
        }
        if (!MessageCharacters.areAllowed(body)) {
            throw new SqsException(
                    SqsError.INVALID_MESSAGE_CONTENTS, "The message contains characters outside the allowed set.");
        }
        return body;
    }

    /** The result of its scheduling. */
    ObjectNode result() {
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        result.put(
                "MessageId",
                MessageId.of(message.topic(), message.id(), message.generation())
                        .toString());
        result.put("MD5OfMessageBody", MessageAttributes.md5(message.payload()));
        if (!attributes.isEmpty()) {
            result.put("MD5OfMessageAttributes", attributes.md5());
        }
        if (!systemAttributes.isEmpty()) {
            result.put("MD5OfMessageSystemAttributes", systemAttributes.md5());
        }
        return result;
    }
}
