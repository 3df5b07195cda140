package io.delayqueue.gateway.http.journal;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.delayqueue.jdbc.JournalEvent;
import io.delayqueue.jdbc.JournalMessage;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.MessageStory;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The story of an id; members as those of {@link MessageStory}. */
record StoryView(String topic, String id, List<Message> messages, boolean complete) {

    static StoryView of(MessageStory story) {
        return new StoryView(
                story.topic(),
                story.id(),
                story.messages().stream().map(StoryView::message).toList(),
                story.complete());
    }

    private static Message message(MessageStory.Entry entry) {
        JournalMessage message = entry.message();
        return new Message(
                entry.generation(),
                message == null ? null : name(message.status()),
                message == null ? null : message.attempts(),
                message == null ? null : message.due(),
                message == null ? null : message.created(),
                message == null ? null : message.finished(),
                message == null ? null : message.reason(),
                entry.events().stream().map(StoryView::event).toList());
    }

    private static Event event(JournalEvent event) {
        MessageStatus from = event.from();
        return new Event(
                event.time(),
                from == null ? null : name(from),
                name(event.to()),
                event.attempt(),
                event.instance(),
                event.error());
    }

    private static String name(MessageStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    /** A message that has had the id; members as those of {@link JournalMessage}, absent if the journal has its events only. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Message(
            String generation,
            @Nullable String status,
            @Nullable Integer attempts,
            @Nullable Instant due,
            @Nullable Instant created,
            @Nullable Instant finished,
            @Nullable String reason,
            List<Event> events) {}

    /** A change of its state; members as those of {@link JournalEvent}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Event(
            Instant time,
            @Nullable String from,
            String to,
            @Nullable Integer attempt,
            @Nullable String instance,
            @Nullable String error) {}
}
