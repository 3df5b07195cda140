package io.delayqueue.jdbc.outbox;

import java.util.Comparator;

/**
 * Key of a row in the outbox. Statements on several rows take them in this order, so that transactions don't deadlock.
 *
 * @param topic topic of the message
 * @param id id of the message
 */
public record OutboxKey(String topic, String id) implements Comparable<OutboxKey> {

    private static final Comparator<OutboxKey> ORDER =
            Comparator.comparing(OutboxKey::topic).thenComparing(OutboxKey::id);

    @Override
    public int compareTo(OutboxKey other) {
        return ORDER.compare(this, other);
    }
}
