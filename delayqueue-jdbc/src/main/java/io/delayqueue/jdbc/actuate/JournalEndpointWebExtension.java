package io.delayqueue.jdbc.actuate;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** The endpoint over HTTP, where the caller decides whether values are shown. */
@EndpointWebExtension(endpoint = JournalEndpoint.class)
public final class JournalEndpointWebExtension {

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

    /** The journal's state. */
    @ReadOperation
    public JournalDescriptor named(SecurityContext user) {
        return endpoint.named(showValues.isShown(user, roles));
    }
}
