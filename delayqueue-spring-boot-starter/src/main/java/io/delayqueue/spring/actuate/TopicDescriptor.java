package io.delayqueue.spring.actuate;

import io.delayqueue.TopicStats;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One topic.
 *
 * @param stats its numbers
 * @param listeners those of this process
 * @param deadLetters the latest ones
 */
public record TopicDescriptor(
        TopicStats stats, List<ListenerDescriptor> listeners, List<DeadLetterDescriptor> deadLetters)
        implements OperationResponseBody {}
