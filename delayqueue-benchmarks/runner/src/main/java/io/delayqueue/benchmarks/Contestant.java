package io.delayqueue.benchmarks;

import io.delayqueue.benchmarks.servers.Servers;

/**
 * Who takes part.
 *
 * @param name on the command line and in the raw figures
 * @param title in tables
 * @param module its folder below {@code delayqueue-benchmarks}
 * @param peerClass its adapter
 * @param variant which of the adapter's settings
 * @param server what it keeps its messages in
 * @param drainable how many messages it drains in about ten seconds: no more than that are asked of it
 * @param promises what it does not promise, and how it was set up, to be read beside its figures
 */
public record Contestant(
        String name,
        String title,
        String module,
        String peerClass,
        String variant,
        Servers.Kind server,
        int drainable,
        String promises) {}
