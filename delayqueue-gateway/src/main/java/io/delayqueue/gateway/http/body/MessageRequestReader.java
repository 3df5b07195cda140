package io.delayqueue.gateway.http.body;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.http.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads a message to schedule, field by field. */
public final class MessageRequestReader {

    /** Header of messages whose payload is JSON. */
    public static final String CONTENT_TYPE = "content-type";

    /** Value of {@link #CONTENT_TYPE} for JSON. */
    public static final String JSON_TYPE = "application/json";

    private static final Set<String> FIELDS = Set.of(
            "id",
            "delay",
            "dueAt",
            "priority",
            "timeToLive",
            "maxAttempts",
            "headers",
            "ifExists",
            "payload",
            "payloadBase64");

    private final Json json;

    /** A reader that writes payloads by this JSON. */
    public MessageRequestReader(Json json) {
        this.json = json;
    }

    /**
     * The message that an object describes.
     *
     * @param index its place in the request
     * @throws ProblemException if a field is invalid
     */
    public OutgoingMessage read(String topic, JsonNode object, @Nullable MessageIdentity identity, int index) {
        Fields fields = new Fields(object, FIELDS);
        OutgoingMessage.Builder message = OutgoingMessage.to(topic);
        set("headers", fields.texts("headers"), headers -> headers.forEach(message::header));
        payload(fields, message);
        due(fields, message);
        String id = fields.text("id");
        if (identity != null) {
            message.generation(identity.generation(index));
            id = id == null ? identity.id(index) : id;
        }
        set("id", id, message::id);
        set("priority", fields.integer("priority", 0, 9), message::priority);
        set("timeToLive", fields.duration("timeToLive"), message::timeToLive);
        set("maxAttempts", fields.integer("maxAttempts", 1, 1_000_000), message::maxAttempts);
        set("ifExists", fields.text("ifExists"), policy -> message.ifExists(policy(policy)));
        try {
            return message.build();
        } catch (IllegalArgumentException e) {
            throw ProblemException.invalid("headers", String.valueOf(e.getMessage()));
        }
    }

    private void payload(Fields fields, OutgoingMessage.Builder message) {
        JsonNode payload = fields.raw("payload");
        String base64 = fields.text("payloadBase64");
        if ((payload == null) == (base64 == null)) {
            throw ProblemException.invalid("payload", "either payload or payloadBase64 is needed");
        }
        if (payload != null) {
            message.payload(json.write(payload)).header(CONTENT_TYPE, JSON_TYPE);
        } else {
            set(
                    "payloadBase64",
                    base64,
                    text -> message.payload(Base64.getDecoder().decode(text)));
        }
    }

    private static void due(Fields fields, OutgoingMessage.Builder message) {
        Duration delay = fields.duration("delay");
        Instant dueAt = fields.instant("dueAt");
        if (delay != null && dueAt != null) {
            throw ProblemException.invalid("dueAt", "set delay or dueAt, not both");
        }
        set("delay", delay, message::delay);
        set("dueAt", dueAt, message::dueAt);
    }

    private static DuplicatePolicy policy(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "reject" -> DuplicatePolicy.REJECT;
            case "keep" -> DuplicatePolicy.KEEP;
            case "replace" -> DuplicatePolicy.REPLACE;
            default -> throw new IllegalArgumentException("must be reject, keep or replace");
        };
    }

    private static <T> void set(String field, @Nullable T value, Consumer<T> setter) {
        if (value == null) {
            return;
        }
        try {
            setter.accept(value);
        } catch (IllegalArgumentException e) {
            throw ProblemException.invalid(field, String.valueOf(e.getMessage()));
        }
    }
}
