/** Writes changes of messages in the caller's transaction: which transaction that is, and the rows of the outbox. */
@NullMarked
package io.delayqueue.jdbc.outbox;

import org.jspecify.annotations.NullMarked;
