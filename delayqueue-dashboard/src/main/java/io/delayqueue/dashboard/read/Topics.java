package io.delayqueue.dashboard.read;

import io.delayqueue.TopicStats;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * The numbers of all topics, as they were read once.
 *
 * @param asOf when they were read, by this process' clock
 * @param stats the numbers by topic
 * @param missing topics whose numbers could not be read
 */
record Topics(Instant asOf, Map<String, TopicStats> stats, Set<String> missing) {}
