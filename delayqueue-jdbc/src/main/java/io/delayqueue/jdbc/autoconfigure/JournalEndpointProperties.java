package io.delayqueue.jdbc.autoconfigure;

import java.util.HashSet;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties of the journal's actuator endpoint. */
@ConfigurationProperties("management.endpoint.delayqueuejournal")
public class JournalEndpointProperties {

    /**
     * When to show header values, business keys and error texts of messages.
     */
    private Show showValues = Show.NEVER;

    /**
     * Roles of users who are authorized to be shown values. Empty for all authenticated users.
     */
    private final Set<String> roles = new HashSet<>();

    public Show getShowValues() {
        return showValues;
    }

    public void setShowValues(Show showValues) {
        this.showValues = showValues;
    }

    public Set<String> getRoles() {
        return roles;
    }
}
