package io.delayqueue.spring.actuate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A bulk operation that begins when the action {@code start} names its token.
 *
 * @param token starts it, at the instance that answered
 * @param operation {@code redrive}, {@code purge-dead-letters} or {@code purge-pending}
 * @param topic the topic
 * @param until latest time of dead-lettering, or due time, of the messages
 * @param errorGroup id of the error group; null for all
 * @param count number of messages that it will change
 * @param matching number of messages that match the request; more than the count if a plan can't hold them all
 * @param expires when the token expires
 */
public record PlanDescriptor(
        String token,
        String operation,
        String topic,
        @Nullable Instant until,
        @Nullable String errorGroup,
        long count,
        long matching,
        Instant expires)
        implements DelayQueueDescriptor {}
