package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.JournalQuery;
import io.delayqueue.jdbc.MessageStory;
import io.delayqueue.jdbc.relay.OutboxLifecycle;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.OutboxStatus;
import io.delayqueue.jdbc.relay.QueuedHandOver;
import io.delayqueue.jdbc.relay.Relay;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/** Asks the journal for what the endpoint shows. */
public final class JournalReports {

    /** Blocked ids shown. */
    private static final int MAX_BLOCKED = 20;

    private final Journal journal;
    private final OutboxOperator outbox;
    private final QueuedHandOver handOver;
    private final Relay relay;
    private final OutboxLifecycle lifecycle;
    private final JournalDescriptors showing;
    private final JournalDescriptors hiding;

    /** @param sanitizingFunctions replace single values that are shown */
    public JournalReports(
            Journal journal,
            OutboxOperator outbox,
            QueuedHandOver handOver,
            Relay relay,
            OutboxLifecycle lifecycle,
            Iterable<SanitizingFunction> sanitizingFunctions) {
        this.journal = journal;
        this.outbox = outbox;
        this.handOver = handOver;
        this.relay = relay;
        this.lifecycle = lifecycle;
        Sanitizer sanitizer = new Sanitizer(sanitizingFunctions);
        this.showing = new JournalDescriptors(sanitizer, true);
        this.hiding = new JournalDescriptors(sanitizer, false);
    }

    JournalStatusDescriptor status(boolean withValues) {
        OutboxStatus status = outbox.status();
        return new JournalStatusDescriptor(new OutboxDescriptor(
                status.lag(),
                status.blocked(),
                outbox.blocked(MAX_BLOCKED).stream()
                        .map(descriptors(withValues)::blocked)
                        .toList(),
                handOver.waiting(),
                handOver.isFailing(),
                lifecycle.isRunning(),
                relay.isFailing()));
    }

    /** Null if the journal knows nothing of the id. */
    @Nullable
    StoryDescriptor story(String topic, String id, boolean withValues) {
        MessageStory story = journal.story(topic, id);
        return story.messages().isEmpty() ? null : descriptors(withValues).story(story);
    }

    SearchDescriptor search(Supplier<JournalQuery> query, boolean withValues) {
        try {
            return descriptors(withValues).page(journal.search(query.get()));
        } catch (IllegalArgumentException e) {
            String reason = String.valueOf(e.getMessage());
            throw new InvalidEndpointRequestException(reason, reason);
        }
    }

    UnblockDescriptor unblock(String topic, String id) {
        return new UnblockDescriptor(outbox.unblock(topic, id));
    }

    private JournalDescriptors descriptors(boolean withValues) {
        return withValues ? showing : hiding;
    }
}
