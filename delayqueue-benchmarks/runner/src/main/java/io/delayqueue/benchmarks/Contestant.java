package io.delayqueue.benchmarks;

import io.delayqueue.benchmarks.servers.Servers;

/**
 * A peer with one of its settings, as it is measured.
 *
 * @param name names it on the command line and in the raw figures
 * @param title names it in tables
 * @param module folder of its adapter below {@code delayqueue-benchmarks}
 * @param adapter class of its adapter, or a script for Node
 * @param variant settings of the adapter
 * @param server stores its messages
 * @param drainable messages that it drains in about ten seconds, at most
 * @param promises its set-up and the promises that it lacks, to be read beside its figures
 */
public record Contestant(
        String name,
        String title,
        String module,
        String adapter,
        String variant,
        Servers.Kind server,
        int drainable,
        String promises) {

    /** Whether it runs in Node. */
    boolean isForNode() {
        return adapter.endsWith(".mjs");
    }
}
