package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.JournalQuery;
import io.delayqueue.jdbc.MessageStory;
import io.delayqueue.jdbc.restore.RestoreRequest;
import io.delayqueue.jdbc.support.JournalInstance;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/** Asks the journal for what the endpoint shows. */
public final class JournalReports {

    private final Journal journal;
    private final OutboxReports outbox;
    private final @Nullable AuditReports audit;
    private final @Nullable RestoreReports restore;
    private final JournalDescriptors showing;
    private final JournalDescriptors hiding;

    /**
     * Reports of a journal.
     *
     * @param audit null if the audit trail is switched off
     * @param restore null if nothing restores
     * @param sanitizingFunctions replace single values that are shown
     */
    public JournalReports(
            Journal journal,
            OutboxReports outbox,
            @Nullable AuditReports audit,
            @Nullable RestoreReports restore,
            Iterable<SanitizingFunction> sanitizingFunctions) {
        this.journal = journal;
        this.outbox = outbox;
        this.audit = audit;
        this.restore = restore;
        Sanitizer sanitizer = new Sanitizer(sanitizingFunctions);
        this.showing = new JournalDescriptors(sanitizer, true);
        this.hiding = new JournalDescriptors(sanitizer, false);
    }

    JournalStatusDescriptor status(boolean withValues) {
        return new JournalStatusDescriptor(
                JournalInstance.name(),
                outbox.status(descriptors(withValues)),
                audit == null ? null : audit.status(),
                restore == null ? null : restore.status(descriptors(withValues)));
    }

    /** Null if the journal knows nothing of the id. */
    @Nullable
    StoryDescriptor story(String topic, String id, boolean withValues) {
        MessageStory story = journal.story(topic, id);
        return story.messages().isEmpty() ? null : descriptors(withValues).story(story);
    }

    SearchDescriptor search(Supplier<JournalQuery> query, boolean withValues) {
        return refusing(() -> descriptors(withValues).page(journal.search(query.get())));
    }

    UnblockDescriptor unblock(String topic, @Nullable String id) {
        return outbox.unblock(topic, id);
    }

    RestoreRunDescriptor restore(@Nullable String topic, @Nullable String id, boolean overdue, boolean dryRun) {
        RestoreReports reports = restore;
        if (reports == null) {
            throw invalid("nothing restores without the audit: see delayqueue.journal.audit.enabled");
        }
        if (topic != null && !reports.isLost(topic) && isUnknown(topic, id)) {
            throw invalid(
                    "the journal has no message" + (id == null ? "" : " '" + id + "'") + " of topic '" + topic + "'");
        }
        return refusing(() -> reports.start(new RestoreRequest(topic, id, overdue), dryRun, hiding));
    }

    RestoreRunDescriptor stopRestore() {
        RestoreRunDescriptor stopped = restore == null ? null : restore.stop(hiding);
        if (stopped == null) {
            throw invalid("no restore that was asked for is running in the instance " + JournalInstance.name());
        }
        return stopped;
    }

    /** A restore of a topic or id that is misspelled would look like one that has found nothing to do. */
    private boolean isUnknown(String topic, @Nullable String id) {
        return id == null
                ? refusing(() -> journal.search(
                                JournalQuery.ofTopic(topic).limit(1).build()))
                        .messages()
                        .isEmpty()
                : journal.story(topic, id).messages().isEmpty();
    }

    private JournalDescriptors descriptors(boolean withValues) {
        return withValues ? showing : hiding;
    }

    private static <T> T refusing(Supplier<T> answer) {
        try {
            return answer.get();
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private static InvalidEndpointRequestException invalid(String reason) {
        return new InvalidEndpointRequestException(reason, reason);
    }
}
