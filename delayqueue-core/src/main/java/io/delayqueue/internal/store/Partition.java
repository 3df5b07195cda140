package io.delayqueue.internal.store;

/**
 * One part of a topic: a message lives in one, and every call to the store is about one.
 *
 * @param topic the topic
 * @param number from 0; every topic has partition 0
 * @param count how many the caller believes the topic to have
 */
public record Partition(String topic, int number, int count) {

    /** The one partition of a topic that nobody has said anything about. */
    public static Partition only(String topic) {
        return new Partition(topic, 0, 1);
    }

    @Override
    public String toString() {
        return "'" + topic + "'" + (count == 1 ? "" : ", partition " + number + " of " + count);
    }
}
