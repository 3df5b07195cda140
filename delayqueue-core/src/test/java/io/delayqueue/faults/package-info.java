/** Faults of Redis, the network and processes, each caused for real, and what the promises say of them. */
@NullMarked
package io.delayqueue.faults;

import org.jspecify.annotations.NullMarked;
