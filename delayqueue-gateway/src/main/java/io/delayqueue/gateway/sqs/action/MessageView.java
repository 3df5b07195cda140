package io.delayqueue.gateway.sqs.action;

import io.delayqueue.ReceivedMessage;
import io.delayqueue.gateway.sqs.MessageAttributes;
import io.delayqueue.gateway.sqs.MessageId;
import io.delayqueue.gateway.sqs.protocol.MessageCharacters;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Received messages as SQS has them, with the attributes that the client asks for. */
public final class MessageView {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Pattern MILLIS = Pattern.compile("\\d{1,18}");

    private final Set<String> system;
    private final List<String> names;
    private final MessageProblems problems;
    private final String now = String.valueOf(System.currentTimeMillis());

    /**
     * The view of a request to receive.
     *
     * @param problems told of messages that can't be shown whole
     */
    public MessageView(Parameters parameters, MessageProblems problems) {
        this.problems = problems;
        // the older name of the same parameter
        system = new HashSet<>(parameters.texts("AttributeNames"));
        system.addAll(parameters.texts("MessageSystemAttributeNames"));
        names = parameters.texts("MessageAttributeNames");
    }

    /**
     * A message.
     *
     * @param handle its receipt handle
     * @param further system attributes beside those of each message
     */
    public ObjectNode of(ReceivedMessage message, String handle, Map<String, String> further) {
        ObjectNode view = JsonNodeFactory.instance.objectNode();
        view.put(
                "MessageId",
                MessageId.of(message.topic(), message.id(), message.generation())
                        .toString());
        view.put("ReceiptHandle", handle);
        Map<String, String> all = system(message);
        all.putAll(further);
        String body = text(message.payload());
        if (body == null) {
            body = Base64.getEncoder().encodeToString(message.payload());
            all.put("DelayQueueBodyEncoding", "base64");
            view.put("MD5OfBody", MessageAttributes.md5(body.getBytes(StandardCharsets.US_ASCII)));
        } else {
            view.put("MD5OfBody", MessageAttributes.md5(message.payload()));
        }
        view.put("Body", body);
        if (!system.contains("All")) {
            all.keySet().retainAll(system);
        }
        if (!all.isEmpty()) {
            ObjectNode attributes = view.putObject("Attributes");
            all.forEach(attributes::put);
        }
        putAttributes(view, message);
        return view;
    }

    /** The payload as a body of SQS, or null if it is none: Java may schedule any bytes. */
    private static @Nullable String text(byte[] payload) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(payload))
                    .toString();
            return MessageCharacters.areAllowed(text) ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** The time of the first receive is known of a first attempt only. */
    private Map<String, String> system(ReceivedMessage message) {
        Map<String, String> headers = message.headers();
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("ApproximateReceiveCount", String.valueOf(message.attempt()));
        attributes.put("ApproximateFirstReceiveTimestamp", now);
        String due = String.valueOf(message.due().toEpochMilli());
        String sent = headers.getOrDefault(OutgoingSqsMessage.SENT_HEADER, due);
        attributes.put("SentTimestamp", MILLIS.matcher(sent).matches() ? sent : due);
        attributes.put("SenderId", headers.getOrDefault(OutgoingSqsMessage.SENDER_HEADER, "delayqueue"));
        String group = headers.get(OutgoingSqsMessage.GROUP_HEADER);
        if (group != null) {
            attributes.put("MessageGroupId", group);
        }
        String trace = TraceHeader.of(headers);
        if (trace != null) {
            attributes.put(TraceHeader.NAME, trace);
        }
        attributes.put("DelayQueueMessageId", message.id());
        return attributes;
    }

    /** Any program may set the header: what is no attributes must not keep the message from its receivers. */
    private void putAttributes(ObjectNode view, ReceivedMessage message) {
        String kept = message.headers().get(OutgoingSqsMessage.ATTRIBUTES_HEADER);
        if (kept == null || names.isEmpty()) {
            return;
        }
        try {
            MessageAttributes selected =
                    MessageAttributes.ofTree(MAPPER.readTree(kept)).select(names);
            if (!selected.isEmpty()) {
                String md5 = selected.md5();
                view.set("MessageAttributes", selected.toTree());
                view.put("MD5OfMessageAttributes", md5);
            }
        } catch (JacksonException | IllegalArgumentException | SqsException e) {
            problems.attributesUnreadable(message.topic(), message.id(), e);
        }
    }
}
