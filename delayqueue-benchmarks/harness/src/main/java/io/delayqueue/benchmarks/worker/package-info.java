/** The worker process of a peer: it takes commands on standard input and puts load on the peer. */
@NullMarked
package io.delayqueue.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
