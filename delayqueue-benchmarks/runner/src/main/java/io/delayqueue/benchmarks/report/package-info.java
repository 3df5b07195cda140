/** Writes what was measured: raw, as tables with ratios first, and as plots. */
@NullMarked
package io.delayqueue.benchmarks.report;

import org.jspecify.annotations.NullMarked;
