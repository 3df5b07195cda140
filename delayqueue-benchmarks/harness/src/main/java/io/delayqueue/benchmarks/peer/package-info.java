/** The interface of a benchmarked delay queue. Each peer has one short adapter, on its own class path. */
@NullMarked
package io.delayqueue.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
