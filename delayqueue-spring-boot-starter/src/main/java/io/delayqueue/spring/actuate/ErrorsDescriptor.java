package io.delayqueue.spring.actuate;

import java.time.Instant;
import java.util.List;

/**
 * The latest dead letters of a topic by their errors.
 *
 * @param topic the topic
 * @param examined number of dead letters that were examined, the latest ones; at most 1,000
 * @param groups the groups, largest first
 */
public record ErrorsDescriptor(String topic, int examined, List<Group> groups) implements DelayQueueDescriptor {

    /**
     * Dead letters whose errors are the same but for ids and numbers.
     *
     * @param id its id, for the action {@code plan}
     * @param error first line of the errors with {@code #} for ids and numbers, or {@code ******} if values are hidden
     * @param count number of dead letters
     * @param sample id of the latest of them
     * @param latest time at which that one was dead-lettered
     */
    public record Group(String id, String error, long count, String sample, Instant latest) {}
}
