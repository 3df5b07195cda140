package io.delayqueue.benchmarks.peer;

import java.time.Duration;

/**
 * A message to be scheduled.
 *
 * @param topic its topic
 * @param id 20 characters, unique in the run; for peers that take one
 * @param payload ASCII bytes
 * @param delay from now, whole milliseconds
 */
public record Outgoing(String topic, String id, byte[] payload, Duration delay) {}
