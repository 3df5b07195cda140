package io.delayqueue;

import io.delayqueue.internal.ReceiptData;

/**
 * The right to settle a message that a {@link PullConsumer} received. Any process can use it, and nothing is kept in the one that
 * received the message. It stays good while the lease is extended, until the message is settled or the lease is over. Immutable.
 *
 * <p>A receipt is no secret: only a consumer of the topic can use it. Its length is about 60 characters and four thirds of the topic
 * and id.
 */
public final class Receipt {

    private final String text;
    private final String topic;
    private final String messageId;

    private Receipt(String text, ReceiptData data) {
        this.text = text;
        this.topic = data.topic();
        this.messageId = data.id();
    }

    /**
     * The receipt that {@link #toString()} wrote.
     *
     * @throws IllegalArgumentException if the text is no receipt; not if its lease is over
     */
    public static Receipt parse(String text) {
        return new Receipt(text, ReceiptData.decode(text));
    }

    /** The topic of the message. */
    public String topic() {
        return topic;
    }

    /** The id of the message. */
    public String messageId() {
        return messageId;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Receipt receipt && receipt.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The receipt as text: letters, digits, {@code -} and {@code _}, so that it can be part of a URL. */
    @Override
    public String toString() {
        return text;
    }
}
