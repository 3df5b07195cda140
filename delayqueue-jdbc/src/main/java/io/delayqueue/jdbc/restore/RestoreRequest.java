package io.delayqueue.jdbc.restore;

import io.delayqueue.OutgoingMessage;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Messages to compare and restore.
 *
 * @param topic the topic; null for all
 * @param id the message's id; null for all
 * @param onlyOverdue whether messages that are not due yet are left out
 */
public record RestoreRequest(
        @Nullable String topic, @Nullable String id, boolean onlyOverdue) {

    public RestoreRequest {
        if (id != null) {
            // names that can't be any are refused here
            OutgoingMessage.to(Objects.requireNonNull(topic, "topic")).id(id);
        }
    }

    /** All messages. */
    public static RestoreRequest all() {
        return new RestoreRequest(null, null, false);
    }

    /** Messages whose due time is over by the database's clock. */
    public static RestoreRequest overdue() {
        return new RestoreRequest(null, null, true);
    }

    /** Messages of a topic. */
    public static RestoreRequest topic(String topic) {
        return new RestoreRequest(Objects.requireNonNull(topic, "topic"), null, false);
    }

    /** One message. A dead letter is scheduled again, due at once. */
    public static RestoreRequest id(String topic, String id) {
        return new RestoreRequest(topic, Objects.requireNonNull(id, "id"), false);
    }
}
