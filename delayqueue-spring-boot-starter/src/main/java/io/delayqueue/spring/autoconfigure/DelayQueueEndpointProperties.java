package io.delayqueue.spring.autoconfigure;

import java.util.HashSet;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties of the actuator endpoint. */
@ConfigurationProperties("management.endpoint.delayqueue")
public class DelayQueueEndpointProperties {

    /**
     * When to show payloads, header values and error texts of messages.
     */
    private Show showValues = Show.NEVER;

    /**
     * Roles of users who are authorized to be shown values. Empty for all authenticated users.
     */
    private final Set<String> roles = new HashSet<>();

    /**
     * Roles of users who may pause and resume topics and cancel, reschedule and redrive messages, if the endpoint's access lets
     * anybody write. Empty for all callers.
     */
    private final Set<String> operateRoles = new HashSet<>();

    /**
     * Roles of users who may purge messages, if the endpoint's access lets anybody write. Empty for those who may operate.
     */
    private final Set<String> purgeRoles = new HashSet<>();

    public Show getShowValues() {
        return showValues;
    }

    public void setShowValues(Show showValues) {
        this.showValues = showValues;
    }

    public Set<String> getRoles() {
        return roles;
    }

    public Set<String> getOperateRoles() {
        return operateRoles;
    }

    public Set<String> getPurgeRoles() {
        return purgeRoles;
    }
}
