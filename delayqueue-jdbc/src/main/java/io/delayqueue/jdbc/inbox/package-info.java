/** Records handled messages in the handler's own transaction, so that a second delivery is acked without a call. */
@NullMarked
package io.delayqueue.jdbc.inbox;

import org.jspecify.annotations.NullMarked;
