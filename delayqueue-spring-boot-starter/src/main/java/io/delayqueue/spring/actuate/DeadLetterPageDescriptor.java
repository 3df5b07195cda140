package io.delayqueue.spring.actuate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of dead letters, latest first.
 *
 * @param topic their topic
 * @param deadLetters the dead letters
 * @param next parameter {@code offset} of the next page, which may be empty; null if this one is, or if no further one may be asked for
 */
public record DeadLetterPageDescriptor(
        String topic,
        List<DeadLetterDescriptor> deadLetters,
        @Nullable Integer next) implements DelayQueueDescriptor {}
