/** This library as a peer. */
@NullMarked
package io.delayqueue.benchmarks.peers.delayqueue;

import org.jspecify.annotations.NullMarked;
