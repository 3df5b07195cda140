package io.delayqueue.jdbc.relay;

import io.delayqueue.OutgoingMessage;
import org.jspecify.annotations.Nullable;

/**
 * A message as the journal has it.
 *
 * @param message the message, due as long from now as it was when it was read; null if the row can't be read
 * @param finished whether its end was recorded already
 * @param error why the row can't be read, else null
 */
record StoredMessage(
        @Nullable OutgoingMessage message,
        boolean finished,
        @Nullable String error) {}
