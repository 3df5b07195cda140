package io.delayqueue.spring.listener;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds listeners of one topic whose settings differ, so that it is left to chance which settings apply to a message. */
final class ListenerConflicts {

    private ListenerConflicts() {}

    /** One warning for each pair of listeners that differ. */
    static List<String> in(Collection<DelayQueueListenerContainer> containers) {
        List<String> found = new ArrayList<>();
        Map<TopicOfClient, DelayQueueListenerContainer> firstOfTopic = new HashMap<>();
        for (DelayQueueListenerContainer container : containers) {
            DelayQueueListenerContainer first =
                    firstOfTopic.putIfAbsent(new TopicOfClient(container.client(), container.topic()), container);
            if (first != null) {
                List<String> differences = differences(first.options(), container.options());
                if (!differences.isEmpty()) {
                    found.add("Two listeners of topic '" + container.topic() + "' differ in "
                            + String.join(", ", differences) + ". Either may get a message and apply its own settings: "
                            + first.endpoint() + " and " + container.endpoint());
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

    /** Topics of one name on two servers have nothing to do with each other. */
    private record TopicOfClient(DelayQueueClient client, String topic) {}
}
