package io.delayqueue.spring.listener;

import io.delayqueue.ConsumerOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds listeners of one topic that would treat its messages differently, so that chance decides which way. */
final class ListenerConflicts {

    private ListenerConflicts() {}

    /** One sentence for each contradiction. */
    static List<String> in(Collection<DelayQueueListenerContainer> containers) {
        List<String> found = new ArrayList<>();
        Map<String, DelayQueueListenerContainer> firstOfTopic = new HashMap<>();
        for (DelayQueueListenerContainer container : containers) {
            DelayQueueListenerContainer first = firstOfTopic.putIfAbsent(container.topic(), container);
            if (first != null) {
                List<String> differences = differences(first.options(), container.options());
                if (!differences.isEmpty()) {
                    found.add("Two listeners share the messages of topic '" + container.topic() + "' but differ in "
                            + String.join(", ", differences) + ", so chance decides what applies: " + first.endpoint()
                            + " and " + container.endpoint());
                }
            }
        }
        return found;
    }

    private static List<String> differences(ConsumerOptions one, ConsumerOptions other) {
        List<String> differences = new ArrayList<>();
        if (!one.lease().equals(other.lease())) {
            differences.add("lease (" + one.lease() + ", " + other.lease() + ")");
        }
        if (one.maxAttempts() != other.maxAttempts()) {
            differences.add("maxAttempts (" + one.maxAttempts() + ", " + other.maxAttempts() + ")");
        }
        if (!one.backoff().equals(other.backoff())) {
            differences.add("backoff");
        }
        return differences;
    }
}
