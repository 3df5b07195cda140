package io.delayqueue.spring.operator;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters whose errors are the same once ids and numbers are taken out.
 *
 * @param id id of the group
 * @param error first line of the errors with {@code #} for ids and numbers, at most 300 characters; null for a caller without
 *     {@link Right#PAYLOAD}
 * @param count number of its dead letters among those examined
 * @param sample id of its latest dead letter
 * @param latest time at which that one was dead-lettered
 */
public record ErrorGroup(String id, @Nullable String error, long count, String sample, Instant latest) {}
