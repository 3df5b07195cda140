package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Too few replicas had the message in time; see {@link DelayQueueOptions.Builder#waitForReplicas}. The message may exist: the
 * primary has it, and delivers it unless it is lost in a failover. Repeat the call with the same message, which is recognised
 * and waits again, or cancel it.
 */
public class ReplicationTimeoutException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final int replicas;
    private final int required;

    /**
     * See {@link DelayQueueException}.
     *
     * @param replicas how many had it in time
     * @param required how many were asked for
     */
    public ReplicationTimeoutException(
            int replicas, int required, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(
                (id == null ? "what was scheduled" : "message '" + id + "'") + " of topic '" + topic + "' is at "
                        + replicas
                        + " replicas, not at the " + required
                        + " that were waited for. It may exist, and be delivered: repeat"
                        + " the call with the same message, which is recognised, or cancel it",
                topic,
                id,
                cause);
        this.replicas = replicas;
        this.required = required;
    }

    /** How many replicas had it in time. */
    public int replicas() {
        return replicas;
    }

    /** How many replicas were asked for. */
    public int required() {
        return required;
    }
}
