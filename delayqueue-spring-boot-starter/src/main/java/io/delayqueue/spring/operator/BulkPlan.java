package io.delayqueue.spring.operator;

import java.time.Instant;

/**
 * A bulk operation that is not started yet, with the number of messages that it will change.
 *
 * @param token starts it, in the process that made the plan
 * @param request what was asked for, its {@code until} filled in
 * @param count number of messages that it will change, less those that go meanwhile; what arrives later stays
 * @param matching number of messages that the request means; more than the count if that is bounded
 * @param expires when the token ends, by this process' clock
 */
public record BulkPlan(String token, BulkRequest request, long count, long matching, Instant expires) {}
