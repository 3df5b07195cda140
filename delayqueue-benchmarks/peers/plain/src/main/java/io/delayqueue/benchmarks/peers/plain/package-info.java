/** Peers that need no library: a polling loop as written by hand, the limit line, and beanstalkd. */
@NullMarked
package io.delayqueue.benchmarks.peers.plain;

import org.jspecify.annotations.NullMarked;
