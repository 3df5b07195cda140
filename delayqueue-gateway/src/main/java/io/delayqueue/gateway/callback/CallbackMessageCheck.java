package io.delayqueue.gateway.callback;

import io.delayqueue.MessageCheck;
import io.delayqueue.OutgoingMessage;
import java.util.Map;
import java.util.Set;

/** Refuses messages to callback topics that no request could carry, or whose URL is not allowed. Thread-safe. */
final class CallbackMessageCheck implements MessageCheck {

    private static final Set<String> OBEYED = Set.of(CallbackMessageHeaders.URL, CallbackMessageHeaders.DELAYS);

    private final Map<String, CallbackTopic> topics;

    /** @param topics by their names */
    CallbackMessageCheck(Map<String, CallbackTopic> topics) {
        this.topics = Map.copyOf(topics);
    }

    @Override
    public void check(OutgoingMessage message) {
        CallbackTopic topic = topics.get(message.topic());
        if (topic == null) {
            return;
        }
        message.headers().forEach((name, value) -> {
            String problem = OBEYED.contains(name) ? null : CallbackHeaders.problem(name, value);
            if (problem != null) {
                throw refused(message, "header '" + printable(name) + "': " + problem);
            }
        });
        try {
            topic.urls().of(message.headers());
            MessageDelays.of(message.headers());
        } catch (IllegalArgumentException e) {
            throw refused(message, String.valueOf(e.getMessage()));
        }
    }

    private static IllegalArgumentException refused(OutgoingMessage message, String reason) {
        return new IllegalArgumentException(
                "message '" + message.id() + "' can't be a callback of topic '" + message.topic() + "': " + reason);
    }

    private static String printable(String name) {
        return name.replaceAll("[^\\x21-\\x7e]", "?");
    }
}
