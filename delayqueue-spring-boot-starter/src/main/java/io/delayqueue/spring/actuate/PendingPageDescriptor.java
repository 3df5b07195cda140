package io.delayqueue.spring.actuate;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of pending messages by due time.
 *
 * @param topic their topic
 * @param messages the messages
 * @param next parameter {@code after} of the next page; null if this is the last one
 */
public record PendingPageDescriptor(
        String topic, List<Message> messages, @Nullable String next) implements DelayQueueDescriptor {

    /**
     * A pending message. Its content is not read.
     *
     * @param id its id
     * @param state {@code scheduled} or {@code ready}
     * @param due its due time
     * @param priority its priority, 0 to 9
     * @param attempts number of failed attempts
     * @param bytes size in Redis of payload and headers
     */
    public record Message(String id, String state, Instant due, int priority, int attempts, int bytes) {}
}
