package io.delayqueue.dashboard.read;

import java.time.Instant;
import java.util.Map;

/**
 * Parts of a topic.
 *
 * @param asOf when it was asked for, by this process' clock; parts may be a second older
 * @param row its numbers and history
 * @param parts the parts by name
 * @param failed failures of parts that are missing, by name
 */
public record TopicView(Instant asOf, TopicRow row, Map<String, Object> parts, Map<String, Throwable> failed) {}
