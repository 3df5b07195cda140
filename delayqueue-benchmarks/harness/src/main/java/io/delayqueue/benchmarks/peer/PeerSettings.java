package io.delayqueue.benchmarks.peer;

import java.time.Duration;

/**
 * Settings of a peer.
 *
 * @param server address of its server, in the peer's usual form
 * @param lease time until the messages of a dead consumer are redelivered, for peers with such a setting
 * @param partitions partitions of each topic, for peers that have them
 * @param variant a named set of settings, such as {@code tuned}
 */
public record PeerSettings(String server, Duration lease, int partitions, String variant) {}
