package io.delayqueue.internal.store;

/**
 * One part of a topic. Each message lives in one partition, and each call of the store is about one.
 *
 * @param topic the topic
 * @param number from 0; every topic has partition 0
 * @param count partition count of the topic, as far as the caller knows
 */
public record Partition(String topic, int number, int count) {

    /** The only partition of a topic with one. */
    public static Partition only(String topic) {
        return new Partition(topic, 0, 1);
    }

    /** Whether the present partition count puts this id here; else only a former one did. */
    public boolean isOf(String id) {
        return count == 1 || Partitioning.number(id, count) == number;
    }

    @Override
    public String toString() {
        return "'" + topic + "'" + (count == 1 ? "" : ", partition " + number + " of " + count);
    }
}
