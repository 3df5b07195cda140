package io.delayqueue.benchmarks.peer;

import java.time.Duration;

/**
 * A message to be scheduled.
 *
 * @param topic where to
 * @param id of 20 characters, unique in the run; for peers that take one
 * @param payload its bytes, all of them ASCII
 * @param delay from now, whole milliseconds
 */
public record Outgoing(String topic, String id, byte[] payload, Duration delay) {}
