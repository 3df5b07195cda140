/** rqueue as a peer. */
@NullMarked
package io.delayqueue.benchmarks.peers.rqueue;

import org.jspecify.annotations.NullMarked;
