/** db-scheduler as a peer. */
@NullMarked
package io.delayqueue.benchmarks.peers.dbscheduler;

import org.jspecify.annotations.NullMarked;
