package io.delayqueue.spring.listener;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds listeners of one topic whose settings differ, so that it is left to chance which settings apply to a message. */
final class ListenerConflicts {

    private ListenerConflicts() {}

    /** One warning for each listener that differs from the first one of its topic. */
    static List<String> in(Collection<DelayQueueListenerContainer> containers) {
        Map<TopicOfClient, DelayQueueListenerContainer> firstOfTopic = new HashMap<>();
        return containers.stream()
                .flatMap(container -> {
                    DelayQueueListenerContainer first =
                            firstOfTopic.putIfAbsent(TopicOfClient.of(container), container);
                    return first == null ? Stream.empty() : between(first, container).stream();
                })
                .toList();
    }

    /** A warning if a new listener differs from one of those that its topic has: one, since these were compared before. */
    static Optional<String> of(DelayQueueListenerContainer added, Collection<DelayQueueListenerContainer> containers) {
        return containers.stream()
                .filter(other -> other != added && TopicOfClient.of(other).equals(TopicOfClient.of(added)))
                .flatMap(other -> between(other, added).stream())
                .findFirst();
    }

    private static Optional<String> between(DelayQueueListenerContainer one, DelayQueueListenerContainer other) {
        List<String> differences = differences(one.options(), other.options());
        return differences.isEmpty()
                ? Optional.empty()
                : Optional.of("Two listeners of topic '" + other.topic() + "' differ in "
                        + String.join(", ", differences)
                        + ". Either may get a message and apply its own settings: " + one.endpoint() + " and "
                        + other.endpoint());
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
    private record TopicOfClient(DelayQueueClient client, String topic) {

        static TopicOfClient of(DelayQueueListenerContainer container) {
            return new TopicOfClient(container.client(), container.topic());
        }
    }
}
