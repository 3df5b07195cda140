/** Runs the benchmarks: who takes part, how much is measured, and the command line. */
@NullMarked
package io.delayqueue.benchmarks;

import org.jspecify.annotations.NullMarked;
