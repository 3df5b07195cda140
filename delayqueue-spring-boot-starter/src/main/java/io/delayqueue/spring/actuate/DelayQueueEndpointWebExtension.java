package io.delayqueue.spring.actuate;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** The endpoint over HTTP, where the caller decides whether values are shown. */
@EndpointWebExtension(endpoint = DelayQueueEndpoint.class)
public final class DelayQueueEndpointWebExtension {

    private final DelayQueueEndpoint endpoint;
    private final Show showValues;
    private final Set<String> roles;

    /**
     * An extension.
     *
     * @param endpoint the endpoint to extend
     * @param showValues when to show values
     * @param roles roles of users who are shown values when authorized; empty for any user who is logged in
     */
    public DelayQueueEndpointWebExtension(DelayQueueEndpoint endpoint, Show showValues, Set<String> roles) {
        this.endpoint = endpoint;
        this.showValues = showValues;
        this.roles = Set.copyOf(roles);
    }

    /** All topics with their numbers; with parameters, one topic or message. */
    @ReadOperation
    public @Nullable DelayQueueDescriptor named(SecurityContext user, @Nullable String topic, @Nullable String id) {
        return endpoint.named(topic, id, showValues.isShown(user, roles));
    }

    /** The topic or message that this path names; null (not found) if there is none. */
    @ReadOperation
    public @Nullable DelayQueueDescriptor at(
            SecurityContext user, @Selector(match = Match.ALL_REMAINING) String... path) {
        return endpoint.at(path, showValues.isShown(user, roles));
    }
}
