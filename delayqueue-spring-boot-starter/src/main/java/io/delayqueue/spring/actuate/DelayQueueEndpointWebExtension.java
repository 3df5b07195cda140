package io.delayqueue.spring.actuate;

import io.delayqueue.spring.actuate.WriteRequest.Bulk;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.MissingRightException;
import io.delayqueue.spring.operator.Right;
import io.delayqueue.spring.operator.TooManyJobsException;
import io.delayqueue.spring.operator.UnknownPlanException;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
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

/** The endpoint over HTTP, where the user decides whether values are shown, and what may be changed. */
@EndpointWebExtension(endpoint = DelayQueueEndpoint.class)
public final class DelayQueueEndpointWebExtension {

    private static final int ACCEPTED = 202;
    private static final int FORBIDDEN = 403;
    private static final int CONFLICT = 409;

    private final DelayQueueEndpoint endpoint;
    private final Show showValues;
    private final WebRoles roles;

    /**
     * An extension.
     *
     * @param endpoint the endpoint to extend
     * @param showValues when to show values
     * @param roles roles of users by what they may do
     */
    public DelayQueueEndpointWebExtension(DelayQueueEndpoint endpoint, Show showValues, WebRoles roles) {
        this.endpoint = endpoint;
        this.showValues = showValues;
        this.roles = roles;
    }

    /**
     * Roles of users.
     *
     * @param payload of those who are shown values when authorized; empty for any user who is logged in
     * @param operate of those who may operate; empty for any caller whom the endpoint's access lets write
     * @param purge of those who may purge; empty for those who may operate
     */
    public record WebRoles(Set<String> payload, Set<String> operate, Set<String> purge) {
        public WebRoles {
            payload = Set.copyOf(payload);
            operate = Set.copyOf(operate);
            purge = Set.copyOf(purge);
        }
    }

    /** All topics with their numbers; with parameters, one topic or message, or a part of a topic. */
    @ReadOperation
    public @Nullable DelayQueueDescriptor read(
            SecurityContext user,
            @Nullable String topic,
            @Nullable String id,
            @Nullable DelayQueueView view,
            @Nullable String after,
            @Nullable Integer offset,
            @Nullable Integer limit,
            @Nullable Duration bucket,
            @Nullable Integer buckets) {
        return endpoint.read(caller(user), new ReadRequest(topic, id, view, after, offset, limit, bucket, buckets));
    }

    /** The topic or message that this path names; null (not found) if there is none. */
    @ReadOperation
    public @Nullable DelayQueueDescriptor at(
            SecurityContext user, @Selector(match = Match.ALL_REMAINING) String... path) {
        return endpoint.at(caller(user), path);
    }

    /**
     * Changes something. Answers 403 without the right, 404 if there is nothing to change or no such token, 409 if a consumer has the
     * message or too many bulk operations are running.
     */
    @WriteOperation
    public WebEndpointResponse<DelayQueueDescriptor> change(
            SecurityContext user,
            DelayQueueAction action,
            @Nullable String topic,
            @Nullable String id,
            @Nullable IdList ids,
            @Nullable Instant due,
            @Nullable Duration delay,
            @Nullable DelayQueueAction operation,
            @Nullable Instant until,
            @Nullable String errorGroup,
            @Nullable String token,
            @Nullable Integer rate) {
        Bulk bulk = new Bulk(operation, until, errorGroup, token, rate);
        WriteRequest request = new WriteRequest(action, topic, id, ids, due, delay, bulk);
        try {
            DelayQueueDescriptor answer = endpoint.change(caller(user), request);
            return new WebEndpointResponse<>(answer, status(answer));
        } catch (MissingRightException e) {
            return new WebEndpointResponse<>(request.refused("denied"), FORBIDDEN);
        } catch (UnknownPlanException e) {
            return new WebEndpointResponse<>(request.refused("unknown_token"), WebEndpointResponse.STATUS_NOT_FOUND);
        } catch (TooManyJobsException e) {
            return new WebEndpointResponse<>(request.refused("too_many_jobs"), CONFLICT);
        }
    }

    private static int status(DelayQueueDescriptor answer) {
        if (answer instanceof OperationDescriptor operation) {
            return switch (operation.outcome()) {
                case "not_found" -> WebEndpointResponse.STATUS_NOT_FOUND;
                case "in_flight" -> CONFLICT;
                case "recorded" -> ACCEPTED;
                default -> WebEndpointResponse.STATUS_OK;
            };
        }
        return WebEndpointResponse.STATUS_OK;
    }

    private Caller caller(SecurityContext user) {
        Set<Right> rights = EnumSet.of(Right.VIEW);
        if (showValues.isShown(user, roles.payload)) {
            rights.add(Right.PAYLOAD);
        }
        if (roles.operate.isEmpty() || hasOne(user, roles.operate)) {
            rights.add(Right.OPERATE);
        }
        if (roles.purge.isEmpty() ? rights.contains(Right.OPERATE) : hasOne(user, roles.purge)) {
            rights.add(Right.PURGE);
        }
        return new Caller(name(user), rights);
    }

    private static boolean hasOne(SecurityContext user, Set<String> roles) {
        return Show.WHEN_AUTHORIZED.isShown(user, roles);
    }

    private static String name(SecurityContext user) {
        Principal principal = user.getPrincipal();
        String name = principal == null ? null : principal.getName();
        return name == null || name.isEmpty() ? "anonymous" : name;
    }
}
