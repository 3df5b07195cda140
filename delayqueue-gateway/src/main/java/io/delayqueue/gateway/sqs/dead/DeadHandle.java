package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.DeadLetters;
import io.delayqueue.gateway.sqs.action.SqsCall;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The receipt handle of a dead letter.
 *
 * @param topic its topic
 * @param id its id
 * @param deadLetteredMicros time at which it was dead-lettered, in microseconds since 1970: tells it from a later dead letter of its id
 * @param hold tells the receive
 */
record DeadHandle(String topic, String id, long deadLetteredMicros, String hold) {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final String START = "dead.";
    private static final int CHECKSUM_LENGTH = 8;

    /** The handle of a new receive. */
    static DeadHandle of(String topic, DeadLetters.Key letter) {
        return new DeadHandle(
                topic,
                letter.id(),
                ChronoUnit.MICROS.between(Instant.EPOCH, letter.deadLetteredAt()),
                UUID.randomUUID().toString());
    }

    /**
     * The handle of a call, perhaps no longer good.
     *
     * @throws SqsException if it is missing, no handle, or that of another queue
     */
    static DeadHandle of(SqsCall call) {
        String text = call.parameters().required("ReceiptHandle");
        if (!text.startsWith(START) || text.length() <= START.length() + CHECKSUM_LENGTH) {
            throw invalid();
        }
        int end = text.length() - CHECKSUM_LENGTH;
        String encoded = text.substring(START.length(), end);
        if (!text.substring(end).equals(checksum(encoded))) {
            throw invalid();
        }
        DeadHandle handle = parse(encoded);
        if (!handle.topic.equals(call.topic())) {
            throw invalid();
        }
        return handle;
    }

    private static DeadHandle parse(String encoded) {
        try {
            JsonNode parts = MAPPER.readTree(Base64.getUrlDecoder().decode(encoded));
            return new DeadHandle(
                    parts.path(0).asString(),
                    parts.path(1).asString(),
                    parts.path(2).asLong(0),
                    parts.path(3).asString());
        } catch (IllegalArgumentException | JacksonException e) {
            throw invalid();
        }
    }

    /** Time at which it was dead-lettered. */
    Instant deadLetteredAt() {
        return Instant.EPOCH.plus(deadLetteredMicros, ChronoUnit.MICROS);
    }

    private static String checksum(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return String.format("%08x", crc.getValue());
    }

    private static SqsException invalid() {
        return new SqsException(SqsError.RECEIPT_HANDLE_IS_INVALID, "The input receipt handle is invalid.");
    }

    @Override
    public String toString() {
        String encoded = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(MAPPER.writeValueAsBytes(List.of(topic, id, deadLetteredMicros, hold)));
        return START + encoded + checksum(encoded);
    }
}
