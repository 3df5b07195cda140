package io.delayqueue.internal.engine.dispatch;

/**
 * The number of messages that a subscription can still take.
 *
 * @param free messages that can be claimed now
 * @param total messages that could be claimed if none were in this process
 */
public record Capacity(int free, int total) {

    /** Whether a claim of its own is worth its round trip. */
    public boolean isLarge() {
        return 2 * free >= total;
    }
}
