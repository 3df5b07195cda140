package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Too few replicas had the message in time; see {@link DelayQueueOptions.Builder#waitForReplicas}. The message may exist: the
 * primary has it and delivers it, unless a failover loses it. Repeat the call with the same {@link OutgoingMessage}, which is
 * recognised and waits again while the message exists, or with an id of your own, or cancel the message. If it was handled
 * meanwhile, the repeated call schedules it again.
 */
public class ReplicationTimeoutException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final int replicas;
    private final int required;

    /**
     * An exception about a message, or about a batch of messages to a topic.
     *
     * @param replicas number of replicas that had it in time
     * @param required number of replicas that were required
     * @param topic the topic that the failure is about, or null
     * @param id the message that the failure is about, or null for a batch
     * @param cause the cause, or null if unknown
     */
    public ReplicationTimeoutException(
            int replicas, int required, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(
                (id == null ? "the batch" : "message '" + id + "'") + " to topic '" + topic + "' reached " + replicas
                        + " replicas in time, not the " + required
                        + " required. It may exist and be delivered: repeat the call only with the same OutgoingMessage or an id of"
                        + " your own, or cancel it. If it was handled meanwhile, the repeated call schedules it again",
                topic,
                id,
                cause);
        this.replicas = replicas;
        this.required = required;
    }

    /** Number of replicas that had it in time. */
    public int replicas() {
        return replicas;
    }

    /** Number of replicas that were required. */
    public int required() {
        return required;
    }
}
