package io.delayqueue.dashboard.read;

import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * All topics at one instant.
 *
 * @param asOf when they were read, by this process' clock
 * @param rows the topics by name
 * @param attention what needs attention, worst first
 * @param missing topics whose numbers could not be read
 */
public record Overview(Instant asOf, List<TopicRow> rows, List<Attention> attention, Set<String> missing) {}
