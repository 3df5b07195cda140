package io.delayqueue.spring.operator;

import java.util.Optional;

/** Source of the events of messages, also of those that Redis no longer has: a journal, if the application has one. Thread-safe. */
@FunctionalInterface
public interface StorySource {

    /** The story of an id; empty if nothing is known of it. */
    Optional<Story> story(String topic, String id);
}
