package io.delayqueue;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Some ids of a {@code cancelAll} call failed. Tells the outcome or the failure of each id; repeat the call with the ids that failed.
 */
public class BulkCancelException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable Map<String, CancelOutcome> outcomes;
    private final transient @Nullable Map<String, DelayQueueException> failures;

    /**
     * An exception about the ids of one call.
     *
     * @param outcomes of the ids that were answered
     * @param failures of the other ids, at least one
     */
    public BulkCancelException(
            String topic, Map<String, CancelOutcome> outcomes, Map<String, DelayQueueException> failures) {
        super(text(topic, outcomes, failures), topic, null, first(failures));
        this.outcomes = Collections.unmodifiableMap(new LinkedHashMap<>(outcomes));
        this.failures = Collections.unmodifiableMap(new LinkedHashMap<>(failures));
    }

    private static String text(
            String topic, Map<String, CancelOutcome> outcomes, Map<String, DelayQueueException> failures) {
        return failures.size() + " of " + (outcomes.size() + failures.size()) + " messages of topic '" + topic
                + "' may not be cancelled; the first: " + first(failures).getMessage();
    }

    private static DelayQueueException first(Map<String, DelayQueueException> failures) {
        return failures.values().iterator().next();
    }

    /** Outcomes of the ids that were answered, in the order of the call. Empty after deserialization. */
    public Map<String, CancelOutcome> outcomes() {
        return outcomes == null ? Map.of() : outcomes;
    }

    /** Each other id's own exception, in the order of the call. It may have been cancelled. Empty after deserialization. */
    public Map<String, DelayQueueException> failures() {
        return failures == null ? Map.of() : failures;
    }
}
