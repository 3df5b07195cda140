package io.delayqueue;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Some messages of a {@code scheduleAll} call failed. Tells each message's own result. To repeat the call, pass
 * {@link #failedMessages()} only: a message that was scheduled may be handled by now, and would be handled again.
 */
public class BulkScheduleException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable List<Entry> entries;

    /**
     * An exception about the messages of one call.
     *
     * @param entries one for each message of the call, in their order
     * @param cause the failure of the first message that failed
     */
    public BulkScheduleException(List<Entry> entries, DelayQueueException cause) {
        super(text(entries, cause), cause.topic(), null, cause);
        this.entries = List.copyOf(entries);
    }

    private static String text(List<Entry> entries, DelayQueueException cause) {
        long failed = entries.stream().filter(entry -> entry.error != null).count();
        return failed + " of " + entries.size()
                + " messages were not scheduled, or it is unknown whether they were; the first: " + cause.getMessage();
    }

    /** Each message's own result, in the order of the call. Empty after deserialization. */
    public List<Entry> entries() {
        return entries == null ? List.of() : entries;
    }

    /**
     * The messages that failed, to be scheduled again: the same objects, so that one that arrived nevertheless is recognised while it
     * exists. One that was handled meanwhile is scheduled again.
     */
    public List<OutgoingMessage> failedMessages() {
        return entries().stream()
                .filter(entry -> entry.error != null)
                .map(Entry::message)
                .toList();
    }

    /**
     * The result of one message: either a result or an error.
     *
     * @param message the message of the call
     * @param result the result; null if the message failed
     * @param error the message's own exception, with its topic and id; null if it did not fail
     */
    public record Entry(
            OutgoingMessage message,
            @Nullable ScheduleResult result,
            @Nullable DelayQueueException error) {

        public Entry {
            Objects.requireNonNull(message, "message");
            if ((result == null) == (error == null)) {
                throw new IllegalArgumentException("an entry has either a result or an error");
            }
        }
    }
}
