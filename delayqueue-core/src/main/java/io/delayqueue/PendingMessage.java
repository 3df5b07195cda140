package io.delayqueue;

import java.time.Instant;
import java.util.Objects;

/**
 * A pending message in a list: its payload and headers are left out, see {@link DelayQueueClient#find}.
 *
 * @param topic its topic
 * @param id its id
 * @param state {@link MessageState#SCHEDULED} or {@link MessageState#READY}, by Redis' clock when it was listed
 * @param due its due time
 * @param priority 0 to 9
 * @param attempts failed attempts so far
 * @param bytes size in Redis of payload and headers, with a header line of some dozens of bytes; 0 if another program deleted
 *     them
 */
public record PendingMessage(
        String topic, String id, MessageState state, Instant due, int priority, int attempts, int bytes) {
    public PendingMessage {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(due, "due");
    }

    /** Its position in the list. */
    public PendingMessages.Position position() {
        return new PendingMessages.Position(due, id);
    }
}
