package io.delayqueue.model;

import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.util.List;

/** The partitions of a topic. A step on one of them must not touch the others. */
record TopicSession(String topic, List<Session> partitions) {

    /** A topic with one partition, which needs no record of that, or with several. */
    static TopicSession of(String topic, int count, MessageStore store, ModelClock clock) {
        List<Partition> all = new Partitioning(topic, count, false, List.of()).all();
        // partition 0 is told last
        for (int i = count - 1; i >= 0 && count > 1; i--) {
            Session.join(store.increasePartitions(all.get(i), false));
        }
        return new TopicSession(
                topic,
                all.stream()
                        .map(partition -> new Session(partition, store, clock))
                        .toList());
    }

    /** The partition that a step picked, of those there are. */
    Session partition(int pick) {
        return partitions.get(pick % partitions.size());
    }
}
