package io.delayqueue.gateway.sqs.action;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.sqs.MessageAttributes;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The trace of a message: {@code AWSTraceHeader} of SQS, {@code traceparent} of everyone else. */
final class TraceHeader {

    static final String NAME = "AWSTraceHeader";

    /** Header with the trace as it was sent: it may have more than a {@code traceparent}. */
    private static final String SENT_HEADER = "sqs-trace";

    private static final String TRACEPARENT = "traceparent";

    private static final Pattern AWS =
            Pattern.compile("(?:.*;)?\\s*Root=1-([0-9a-f]{8})-([0-9a-f]{24})(?:;.*)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern PARENT = Pattern.compile("(?:.*;)?\\s*Parent=([0-9a-f]{16})(?:;.*)?");
    private static final Pattern W3C = Pattern.compile("00-([0-9a-f]{8})([0-9a-f]{24})-([0-9a-f]{16})-([0-9a-f]{2})");

    private TraceHeader() {}

    /**
     * The system attributes of a request: at most the trace.
     *
     * @throws SqsException if there are others, or the trace is no text
     */
    static MessageAttributes read(Parameters parameters) {
        Map<String, Parameters> attributes = parameters.structureMap("MessageSystemAttributes");
        attributes.forEach((name, value) -> {
            if (!name.equals(NAME) || !"String".equals(value.text("DataType"))) {
                throw new SqsException(
                        SqsError.INVALID_PARAMETER_VALUE,
                        "The only message system attribute that can be sent is " + NAME + ", of type String.");
            }
        });
        return MessageAttributes.of(attributes);
    }

    /** Gives a message the trace of the request, if it has one. */
    static void copyTo(OutgoingMessage.Builder message, Parameters parameters) {
        Parameters attribute =
                parameters.structureMap("MessageSystemAttributes").get(NAME);
        String text = attribute == null ? null : attribute.text("StringValue");
        if (text == null) {
            return;
        }
        message.header(SENT_HEADER, text);
        Matcher root = AWS.matcher(text);
        Matcher parent = PARENT.matcher(text);
        if (root.matches() && parent.matches()) {
            String sampled = text.contains("Sampled=0") ? "00" : "01";
            message.header(TRACEPARENT, "00-" + root.group(1) + root.group(2) + "-" + parent.group(1) + "-" + sampled);
        }
    }

    /** The trace of a message as SQS writes it, or null. */
    static @Nullable String of(Map<String, String> headers) {
        String sent = headers.get(SENT_HEADER);
        if (sent != null) {
            return sent;
        }
        Matcher parts = W3C.matcher(headers.getOrDefault(TRACEPARENT, ""));
        if (!parts.matches()) {
            return null;
        }
        boolean sampled = (Integer.parseInt(parts.group(4), 16) & 1) == 1;
        return "Root=1-" + parts.group(1) + "-" + parts.group(2) + ";Parent=" + parts.group(3) + ";Sampled="
                + (sampled ? 1 : 0);
    }
}
