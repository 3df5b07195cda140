/** Delay queues on a Redis Cluster, also while its slots and servers change. */
@NullMarked
package io.delayqueue.cluster;

import org.jspecify.annotations.NullMarked;
