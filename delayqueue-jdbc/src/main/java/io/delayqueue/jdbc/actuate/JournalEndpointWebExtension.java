package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.MessageStatus;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** The endpoint over HTTP, where the caller decides whether values are shown. */
@EndpointWebExtension(endpoint = JournalEndpoint.class)
public final class JournalEndpointWebExtension {

    private static final int CONFLICT = 409;

    private final JournalEndpoint endpoint;
    private final Show showValues;
    private final Set<String> roles;

    /**
     * An extension.
     *
     * @param endpoint the endpoint to extend
     * @param showValues when to show values
     * @param roles roles of users who are shown values when authorized; empty for any user who is logged in
     */
    public JournalEndpointWebExtension(JournalEndpoint endpoint, Show showValues, Set<String> roles) {
        this.endpoint = endpoint;
        this.showValues = showValues;
        this.roles = Set.copyOf(roles);
    }

    /** The journal's state; with parameters, messages that are searched for, or the story of an id. */
    @ReadOperation
    public @Nullable JournalDescriptor query(
            SecurityContext user,
            @Nullable String topic,
            @Nullable String id,
            @Nullable String key,
            MessageStatus @Nullable [] status,
            @Nullable Instant from,
            @Nullable Instant to,
            @Nullable String after,
            @Nullable Integer limit) {
        return endpoint.answer(
                new JournalRequest(topic, id, key, status, from, to, after, limit), showValues.isShown(user, roles));
    }

    /** The story of {@code /{topic}/{id}}; null (not found) if there is none. */
    @ReadOperation
    public @Nullable JournalDescriptor story(
            SecurityContext user, @Selector(match = Match.ALL_REMAINING) String... path) {
        return endpoint.story(path, showValues.isShown(user, roles));
    }

    /** Changes something. A restore that is refused, since another one is running, is a conflict (409). */
    @WriteOperation
    public WebEndpointResponse<JournalDescriptor> change(
            @Selector JournalAction action,
            @Nullable String topic,
            @Nullable String id,
            @Nullable Boolean overdue,
            @Nullable Boolean dryRun,
            @Nullable Boolean stop) {
        JournalDescriptor answer = endpoint.change(action, topic, id, overdue, dryRun, stop);
        boolean refused = answer instanceof RestoreRunDescriptor run && !run.accepted();
        return new WebEndpointResponse<>(answer, refused ? CONFLICT : WebEndpointResponse.STATUS_OK);
    }
}
