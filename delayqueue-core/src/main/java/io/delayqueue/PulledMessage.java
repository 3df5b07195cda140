package io.delayqueue;

import java.util.Objects;

/**
 * A message that a {@link PullConsumer} received.
 *
 * @param message the message
 * @param receipt the right to settle it
 */
public record PulledMessage(ReceivedMessage message, Receipt receipt) {
    public PulledMessage {
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(receipt, "receipt");
    }
}
