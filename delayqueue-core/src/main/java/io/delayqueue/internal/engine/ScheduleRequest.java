package io.delayqueue.internal.engine;

import io.delayqueue.OutgoingMessage;
import java.util.Map;

/**
 * A message on its way to Redis.
 *
 * @param message to schedule
 * @param bytes that it adds to a batch
 * @param attempt 1, and one more each time that the topic's partition count turned out to be another one
 * @param bulk whether it is one of a {@code scheduleAll} call, which makes each message an exception of its own
 */
record ScheduleRequest(OutgoingMessage message, int bytes, int attempt, boolean bulk) {

    /** Objects around a waiting message; about as much as it adds to a command, too. */
    private static final int OVERHEAD_BYTES = 256;

    static ScheduleRequest of(OutgoingMessage message, boolean bulk) {
        return new ScheduleRequest(message, bytesOf(message), 1, bulk);
    }

    ScheduleRequest next() {
        return new ScheduleRequest(message, bytes, attempt + 1, bulk);
    }

    /** The memory that it takes while it waits. */
    long waitingBytes() {
        return (long) bytes + OVERHEAD_BYTES;
    }

    /** Payload, headers and id. */
    static int bytesOf(OutgoingMessage message) {
        int bytes = message.payload().length + message.id().length();
        for (Map.Entry<String, String> header : message.headers().entrySet()) {
            bytes += utf8Length(header.getKey()) + utf8Length(header.getValue());
        }
        return bytes;
    }

    private static int utf8Length(String text) {
        int length = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            length += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
        }
        return length;
    }
}
