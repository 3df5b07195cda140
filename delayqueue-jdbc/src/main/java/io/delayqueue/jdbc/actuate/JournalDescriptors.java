package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.JournalEvent;
import io.delayqueue.jdbc.JournalMessage;
import io.delayqueue.jdbc.JournalPage;
import io.delayqueue.jdbc.JournalPosition;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.MessageStory;
import io.delayqueue.jdbc.relay.BlockedId;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/**
 * Maps the journal's types to the endpoint's descriptors.
 *
 * @param sanitizer hides values, or has the application's functions replace some of those that are shown
 * @param showValues whether to show header values, business keys and error texts
 */
record JournalDescriptors(Sanitizer sanitizer, boolean showValues) {

    BlockedIdDescriptor blocked(BlockedId blocked) {
        return new BlockedIdDescriptor(
                blocked.topic(), blocked.id(), blocked.failures(), value("error", blocked.error()));
    }

    StoryDescriptor story(MessageStory story) {
        return new StoryDescriptor(
                story.topic(),
                story.id(),
                story.messages().stream()
                        .map(entry -> new StoryDescriptor.Entry(
                                entry.generation(),
                                entry.message() == null ? null : message(entry.message()),
                                entry.events().stream().map(this::event).toList()))
                        .toList(),
                story.complete());
    }

    SearchDescriptor page(JournalPage page) {
        JournalPosition next = page.next();
        return new SearchDescriptor(
                page.messages().stream().map(this::message).toList(), next == null ? null : next.encode());
    }

    private JournalMessageDescriptor message(JournalMessage message) {
        Map<String, String> headers = new TreeMap<>();
        message.headers().forEach((name, header) -> headers.put(name, value(name, header)));
        return new JournalMessageDescriptor(
                message.topic(),
                message.id(),
                message.generation(),
                message.status().name(),
                message.attempts(),
                message.priority(),
                message.maxAttempts(),
                message.timeToLive(),
                message.due(),
                message.created(),
                message.updated(),
                message.finished(),
                valueOrNull("reason", message.reason()),
                valueOrNull("businessKey", message.businessKey()),
                headers);
    }

    private JournalEventDescriptor event(JournalEvent event) {
        MessageStatus from = event.from();
        return new JournalEventDescriptor(
                event.time(),
                from == null ? null : from.name(),
                event.to().name(),
                event.began(),
                event.attempt(),
                event.instance(),
                valueOrNull("error", event.error()),
                event.derived());
    }

    @Nullable
    String valueOrNull(String key, @Nullable String value) {
        return value == null ? null : value(key, value);
    }

    private String value(String key, String value) {
        return String.valueOf(sanitizer.sanitize(new SanitizableData(null, key, value), showValues));
    }
}
