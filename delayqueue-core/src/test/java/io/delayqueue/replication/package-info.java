/** Delay queues on primaries with replicas: which messages are kept, which can be lost, and how clients recover. */
@NullMarked
package io.delayqueue.replication;

import org.jspecify.annotations.NullMarked;
