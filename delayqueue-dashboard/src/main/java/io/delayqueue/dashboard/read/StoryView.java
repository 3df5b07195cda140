package io.delayqueue.dashboard.read;

import io.delayqueue.spring.operator.Story;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events of all messages that have had an id, oldest first.
 *
 * @param truncated whether that is not all of it
 */
public record StoryView(List<Event> events, boolean truncated) implements ErrorTexts {

    private static final int MAX_EVENTS = 500;
    private static final int MAX_ERROR = 2_000;

    /**
     * A change of state.
     *
     * @param kind the state after it
     * @param detail why, which may quote a payload; null if all went well, or if the caller may not see it
     */
    public record Event(
            Instant time,
            String kind,
            @Nullable Integer attempt,
            @Nullable String detail,
            @Nullable String instance) {

        static Event of(Story.Event event) {
            String error = event.error();
            return new Event(
                    event.time(),
                    event.to(),
                    event.attempt(),
                    error == null ? null : Texts.first(error, MAX_ERROR),
                    event.instance());
        }
    }

    static StoryView of(Story story) {
        List<Event> events = story.messages().stream()
                .flatMap(message -> message.events().stream())
                .map(Event::of)
                .toList();
        int first = Math.max(0, events.size() - MAX_EVENTS);
        return new StoryView(events.subList(first, events.size()), first > 0 || !story.complete());
    }

    @Override
    public StoryView withoutErrors() {
        return new StoryView(
                events.stream()
                        .map(event -> new Event(event.time, event.kind, event.attempt, null, event.instance))
                        .toList(),
                truncated);
    }
}
