/** Redisson as a peer. */
@NullMarked
package io.delayqueue.benchmarks.peers.redisson;

import org.jspecify.annotations.NullMarked;
