/** What a benchmarked delay queue has to do: implemented by one short adapter a peer, on that peer's own class path. */
@NullMarked
package io.delayqueue.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
