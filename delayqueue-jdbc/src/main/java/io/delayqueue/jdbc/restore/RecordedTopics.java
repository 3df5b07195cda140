package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.MessageStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The topics that the journal has.
 *
 * @param unfinished those with unfinished messages
 * @param partitions those with partitions, and when one of these changed last
 */
record RecordedTopics(Set<String> unfinished, Map<String, Long> partitions) {

    static RecordedTopics read(RestoreContext context) {
        Map<String, Long> partitions = context.known().topics();
        Set<String> unfinished = new TreeSet<>();
        for (MessageStatus status : RecordedMessages.UNFINISHED) {
            Optional<String> next = context.recorded().topicAfter("", status);
            while (next.isPresent()) {
                unfinished.add(next.get());
                next = context.recorded().topicAfter(next.get(), status);
            }
        }
        return new RecordedTopics(unfinished, partitions);
    }

    Set<String> all() {
        Set<String> all = new TreeSet<>(unfinished);
        all.addAll(partitions.keySet());
        return all;
    }

    /** Those that have unfinished messages, or whose partitions changed since then. */
    List<String> inUse(long sinceMicros) {
        Set<String> inUse = new TreeSet<>(unfinished);
        partitions.forEach((topic, updated) -> {
            if (updated >= sinceMicros) {
                inUse.add(topic);
            }
        });
        return new ArrayList<>(inUse);
    }
}
