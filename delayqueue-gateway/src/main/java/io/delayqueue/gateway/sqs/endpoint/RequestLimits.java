package io.delayqueue.gateway.sqs.endpoint;

import java.time.Duration;

/**
 * Limits of requests and their answers.
 *
 * @param maxBody largest body in bytes
 * @param bodyTimeout time within which a body must have come
 * @param maxRequestMemory bytes of all bodies at once
 * @param answerTimeout time within which a client must have read its answer
 * @param extraWaitMillis time beyond a client's wait after which a request without an answer from the queue fails
 */
public record RequestLimits(
        int maxBody, Duration bodyTimeout, long maxRequestMemory, Duration answerTimeout, long extraWaitMillis) {}
