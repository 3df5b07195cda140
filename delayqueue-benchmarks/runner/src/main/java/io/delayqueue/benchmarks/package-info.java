/** Runs the benchmarks: options, peers, worker processes and raw figures. */
@NullMarked
package io.delayqueue.benchmarks;

import org.jspecify.annotations.NullMarked;
