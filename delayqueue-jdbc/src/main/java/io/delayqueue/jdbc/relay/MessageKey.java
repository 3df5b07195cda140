package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.outbox.MessageId;

/** Key of a message's row in the journal. */
record MessageKey(MessageId message, String generation) {}
