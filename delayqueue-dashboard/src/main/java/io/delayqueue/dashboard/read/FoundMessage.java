package io.delayqueue.dashboard.read;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message, and its story if there is a journal.
 *
 * @param message the message; empty if Redis has none
 * @param story its events; empty without a journal, or if the journal has none
 * @param storyFailure why the story is missing; null unless its read failed
 */
public record FoundMessage(
        Optional<MessageSummary> message,
        Optional<StoryView> story,
        @Nullable Throwable storyFailure) {}
