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
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A message that a client sends, alone or as an entry of a batch.
 *
 * @param message the message to schedule
 * @param attributes its attributes
 * @param size its size as SQS counts it: body and attributes
 */
record OutgoingSqsMessage(OutgoingMessage message, MessageAttributes attributes, int size) {

    /** Header with the attributes as JSON. */
    static final String ATTRIBUTES_HEADER = "sqs-attributes";

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
    static OutgoingSqsMessage of(String topic, Duration queueDelay, Parameters parameters) {
        byte[] payload = body(parameters).getBytes(StandardCharsets.UTF_8);
        MessageAttributes attributes = MessageAttributes.of(parameters.structureMap("MessageAttributes"));
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
        if (!attributes.isEmpty()) {
            message.header(ATTRIBUTES_HEADER, attributes.toTree().toString());
        }
        try {
            return new OutgoingSqsMessage(message.build(), attributes, size);
        } catch (IllegalArgumentException e) {
            throw new SqsException(
                    SqsError.INVALID_PARAMETER_VALUE, "The message attributes have more than 65,536 characters.");
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
        return result;
    }
}
