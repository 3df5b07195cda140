package io.delayqueue.spring.actuate;

import java.util.List;

/**
 * Bulk operations of the instance that answered: those running, and the latest ended ones.
 *
 * @param jobs oldest first, at most 100
 */
public record JobsDescriptor(List<JobDescriptor> jobs) implements DelayQueueDescriptor {}
