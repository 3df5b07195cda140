/** Sends the outbox after the commit: the hand-over of this instance's own rows, and the relay of those that were left. */
@NullMarked
package io.delayqueue.jdbc.relay;

import org.jspecify.annotations.NullMarked;
