package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.outbox.OutboxKey;

/** Key of a message's row in the journal. */
record MessageKey(OutboxKey id, String generation) {}
