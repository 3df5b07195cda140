package io.delayqueue.gateway.sqs.queue;

/**
 * A queue that exists.
 *
 * @param name its name
 * @param topic its topic
 * @param dead whether it has the dead letters of the topic
 * @param settings its attributes and tags
 */
public record Queue(String name, String topic, boolean dead, QueueSettings settings) {}
