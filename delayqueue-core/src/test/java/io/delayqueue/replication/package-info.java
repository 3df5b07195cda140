/** Delay queues on primaries with replicas: what is kept, what can be lost, and that all goes on by itself. */
@NullMarked
package io.delayqueue.replication;

import org.jspecify.annotations.NullMarked;
