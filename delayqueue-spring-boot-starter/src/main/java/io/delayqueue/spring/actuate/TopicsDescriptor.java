package io.delayqueue.spring.actuate;

import io.delayqueue.TopicStats;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * All topics.
 *
 * @param topics the numbers of each
 */
public record TopicsDescriptor(Map<String, TopicStats> topics) implements OperationResponseBody {}
