package io.delayqueue.benchmarks;

import java.util.Map;

/**
 * One measurement.
 *
 * @param scenario such as {@code drain}
 * @param peer {@linkplain Contestant#name() name} of the contestant
 * @param setting the column of the report, such as {@code 64}
 * @param round from 1
 * @param figures by name
 */
public record Sample(String scenario, String peer, String setting, int round, Map<String, Double> figures) {}
