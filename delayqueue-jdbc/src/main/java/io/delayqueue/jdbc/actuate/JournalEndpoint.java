package io.delayqueue.jdbc.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
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

    /** The journal's state. */
    @ReadOperation
    public JournalDescriptor named() {
        return named(showValues.isShown(true));
    }

    JournalDescriptor named(boolean withValues) {
        return reports.status(withValues);
    }

    /**
     * Changes something.
     *
     * @param action the change
     * @param topic the topic that it is about
     * @param id the id that it is about
     */
    @WriteOperation
    public JournalDescriptor change(@Selector JournalAction action, @Nullable String topic, @Nullable String id) {
        return switch (action) {
            case UNBLOCK -> reports.unblock(required("topic", topic), required("id", id));
        };
    }

    private static String required(String name, @Nullable String value) {
        if (value == null) {
            throw new InvalidEndpointRequestException(
                    "parameter '" + name + "' is missing", "The parameter '" + name + "' is missing");
        }
        return value;
    }
}
