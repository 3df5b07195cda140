package io.delayqueue.spring.operator;

import java.time.Instant;

/**
 * A bulk operation that is not started yet, with the number of messages that it will change.
 *
 * @param token starts it, in the process that made the plan
 * @param request the request, its {@code until} filled in
 * @param count number of messages that it will change, unless some are gone by then; messages that arrive later stay
 * @param matching number of messages that match the request; more than the count if a plan can't hold them all
 * @param expires when the token expires, by this process' clock
 */
public record BulkPlan(String token, BulkRequest request, long count, long matching, Instant expires) {}
