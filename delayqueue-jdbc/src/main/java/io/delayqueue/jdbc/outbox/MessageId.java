package io.delayqueue.jdbc.outbox;

import java.util.Comparator;

/**
 * A message's topic and id. Statements on several rows take them in this order, so that transactions don't deadlock.
 *
 * @param topic topic of the message
 * @param id id of the message
 */
public record MessageId(String topic, String id) implements Comparable<MessageId> {

    private static final Comparator<MessageId> ORDER =
            Comparator.comparing(MessageId::topic).thenComparing(MessageId::id);

    @Override
    public int compareTo(MessageId other) {
        return ORDER.compare(this, other);
    }
}
