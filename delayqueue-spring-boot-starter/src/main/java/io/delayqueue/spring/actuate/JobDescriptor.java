package io.delayqueue.spring.actuate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A bulk operation that was started.
 *
 * @param token its plan's token, which names it
 * @param operation {@code redrive}, {@code purge-dead-letters} or {@code purge-pending}
 * @param topic the topic
 * @param state {@code running}, {@code done}, {@code stopped} or {@code failed}
 * @param startedBy name of the user who started it
 * @param planned number of messages that its plan counted
 * @param changed number of messages changed so far
 * @param perSecond number of messages changed in a second, so far
 * @param started when it began
 * @param ended when it ended; null while it runs
 * @param error why it failed; null otherwise
 */
public record JobDescriptor(
        String token,
        String operation,
        String topic,
        String state,
        String startedBy,
        long planned,
        long changed,
        double perSecond,
        Instant started,
        @Nullable Instant ended,
        @Nullable String error)
        implements DelayQueueDescriptor {}
