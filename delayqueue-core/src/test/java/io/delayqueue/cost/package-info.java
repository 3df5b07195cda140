/** The number and cost of the commands that Redis runs for a queue. */
@NullMarked
package io.delayqueue.cost;

import org.jspecify.annotations.NullMarked;
