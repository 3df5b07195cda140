/** Peers that need no library: what people write by hand, the least that could work, and beanstalkd. */
@NullMarked
package io.delayqueue.benchmarks.peers.plain;

import org.jspecify.annotations.NullMarked;
