/** This library with a journal, as a benchmarked peer. */
@NullMarked
package io.delayqueue.benchmarks.peers.journal;

import org.jspecify.annotations.NullMarked;
