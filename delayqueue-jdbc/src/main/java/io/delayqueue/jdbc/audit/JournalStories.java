package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.JournalEvent;
import io.delayqueue.jdbc.MessageStory;
import io.delayqueue.spring.operator.Story;
import io.delayqueue.spring.operator.StorySource;
import java.util.Optional;

/**
 * Tells operators the stories of the journal.
 *
 * @param journal is read
 */
public record JournalStories(Journal journal) implements StorySource {

    @Override
    public Optional<Story> story(String topic, String id) {
        MessageStory story = journal.story(topic, id);
        return story.messages().isEmpty()
                ? Optional.empty()
                : Optional.of(new Story(
                        story.topic(),
                        story.id(),
                        story.messages().stream().map(JournalStories::message).toList(),
                        story.complete()));
    }

    private static Story.Message message(MessageStory.Entry entry) {
        return new Story.Message(
                entry.generation(),
                entry.events().stream().map(JournalStories::event).toList());
    }

    private static Story.Event event(JournalEvent event) {
        return new Story.Event(
                event.time(),
                event.from() == null ? null : event.from().name(),
                event.to().name(),
                event.began(),
                event.attempt(),
                event.instance(),
                event.error());
    }
}
