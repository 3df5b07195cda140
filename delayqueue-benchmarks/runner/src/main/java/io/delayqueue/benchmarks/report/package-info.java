/** Writes the report: targets, tables with ratios, and plots. */
@NullMarked
package io.delayqueue.benchmarks.report;

import org.jspecify.annotations.NullMarked;
