package io.delayqueue.benchmarks.peer;

import java.time.Duration;

/**
 * How to set a peer up.
 *
 * @param server where its server is, in the form that is usual for it
 * @param lease how long a message of a consumer that died stays out of reach, for peers that let one choose
 * @param partitions of each topic, for peers that have any
 * @param variant which of the peer's settings, such as {@code tuned}
 */
public record PeerSettings(String server, Duration lease, int partitions, String variant) {}
