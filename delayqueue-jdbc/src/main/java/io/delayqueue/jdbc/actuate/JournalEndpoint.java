package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.MessageStatus;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Actuator endpoint that shows the journal. Error texts and other values of messages are hidden unless
 * {@code management.endpoint.delayqueuejournal.show-values} says otherwise. Operations that change something need
 * {@code management.endpoint.delayqueuejournal.access=unrestricted}.
 */
@Endpoint(id = "delayqueuejournal", defaultAccess = Access.READ_ONLY)
public final class JournalEndpoint {

    private final JournalReports reports;
    private final Show showValues;

    /**
     * An endpoint.
     *
     * @param reports asks the journal
     * @param showValues whether to show values to a caller who is not known, as over JMX
     */
    public JournalEndpoint(JournalReports reports, Show showValues) {
        this.reports = reports;
        this.showValues = showValues;
    }

    /**
     * The journal's state; with parameters, messages that are searched for, or the story of an id.
     *
     * @param topic topic of the messages
     * @param id an id of the topic, whose story is shown
     * @param key value of the header that is declared as business key
     * @param status states of the messages; null for all
     * @param from earliest due time, or time of creation of a business key's messages
     * @param to end of that time, exclusive
     * @param after where the page begins: {@code next} of the page before
     * @param limit messages of a page: 1 to 500, 100 by default
     */
    @ReadOperation
    public @Nullable JournalDescriptor query(
            @Nullable String topic,
            @Nullable String id,
            @Nullable String key,
            MessageStatus @Nullable [] status,
            @Nullable Instant from,
            @Nullable Instant to,
            @Nullable String after,
            @Nullable Integer limit) {
        return answer(new JournalRequest(topic, id, key, status, from, to, after, limit), showValues.isShown(true));
    }

    /** The story of {@code /{topic}/{id}}; null (not found) if there is none. A topic with slashes needs the parameters instead. */
    @ReadOperation
    public @Nullable JournalDescriptor story(@Selector(match = Match.ALL_REMAINING) String... path) {
        return story(path, showValues.isShown(true));
    }

    @Nullable
    JournalDescriptor answer(JournalRequest request, boolean withValues) {
        return request.answer(reports, withValues);
    }

    @Nullable
    JournalDescriptor story(String[] path, boolean withValues) {
        if (path.length < 2) {
            throw new InvalidEndpointRequestException(
                    "no id in the path", "A story has the path /{topic}/{id}; search with ?topic=" + path[0]);
        }
        return reports.story(path[0], String.join("/", Arrays.asList(path).subList(1, path.length)), withValues);
    }

    /**
     * Changes something. A restore goes on after the answer: the journal's state tells its progress and its report.
     *
     * @param action the change
     * @param topic the topic that it is about; may be null for a restore: all topics
     * @param id the id that it is about; null for all of the topic
     * @param overdue whether a restore leaves out messages that are not due yet; false by default
     * @param dryRun whether a restore only reports the differences; true by default
     * @param stop whether to stop the restore that this instance was asked for, instead of beginning one; false by default
     */
    @WriteOperation
    public JournalDescriptor change(
            @Selector JournalAction action,
            @Nullable String topic,
            @Nullable String id,
            @Nullable Boolean overdue,
            @Nullable Boolean dryRun,
            @Nullable Boolean stop) {
        return switch (action) {
            case UNBLOCK -> {
                refuse("overdue", overdue);
                refuse("dryRun", dryRun);
                refuse("stop", stop);
                yield reports.unblock(required("topic", topic), id);
            }
            case RESTORE -> {
                if (Boolean.TRUE.equals(stop)) {
                    refuse("topic", topic);
                    refuse("id", id);
                    refuse("overdue", overdue);
                    refuse("dryRun", dryRun);
                    yield reports.stopRestore();
                }
                if (id != null) {
                    required("topic", topic);
                    refuse("overdue", overdue);
                }
                yield reports.restore(topic, id, Boolean.TRUE.equals(overdue), !Boolean.FALSE.equals(dryRun));
            }
        };
    }

    /** Or a change would be made that the caller did not mean. */
    private static void refuse(String name, @Nullable Object value) {
        if (value != null) {
            throw new InvalidEndpointRequestException(
                    "parameter '" + name + "' has no meaning", "The parameter '" + name + "' has no meaning here");
        }
    }

    private static String required(String name, @Nullable String value) {
        if (value == null) {
            throw new InvalidEndpointRequestException(
                    "parameter '" + name + "' is missing", "The parameter '" + name + "' is missing");
        }
        return value;
    }
}
