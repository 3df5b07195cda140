/**
 * What happens when Redis, the network or a process misbehaves, and what it takes to play that: a proxy that can do wrong,
 * JVMs that write down what they do, and an oracle that reads it.
 */
@NullMarked
package io.delayqueue.faults;

import org.jspecify.annotations.NullMarked;
