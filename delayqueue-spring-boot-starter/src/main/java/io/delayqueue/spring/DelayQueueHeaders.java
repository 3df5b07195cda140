package io.delayqueue.spring;

/**
 * Names of the headers that a listener finds beside the message's own, for {@code @Header(…)} parameters. They say how
 * things stand at this delivery; what is stored in Redis has none of them.
 *
 * <p>spring-messaging keeps the names {@code id} and {@code timestamp} for itself: a message's own headers of these names
 * are found in {@link DelayQueueMessage#headers()} only.
 */
public final class DelayQueueHeaders {

    /** Prefix of all of them. */
    public static final String PREFIX = "delayqueue_";

    /** The topic, a {@code String}. */
    public static final String TOPIC = PREFIX + "topic";

    /** The message's id, a {@code String}. */
    public static final String ID = PREFIX + "id";

    /** Number of this attempt, from 1, an {@code Integer}. */
    public static final String ATTEMPT = PREFIX + "attempt";

    /** Attempts after which the message is dead-lettered, an {@code Integer}. */
    public static final String MAX_ATTEMPTS = PREFIX + "maxAttempts";

    /** When the message was due by Redis' clock, an {@link java.time.Instant}. */
    public static final String DUE = PREFIX + "due";

    /** Priority, 0 to 9, an {@code Integer}. */
    public static final String PRIORITY = PREFIX + "priority";

    /** The {@link io.delayqueue.Delivery}. */
    public static final String DELIVERY = PREFIX + "delivery";

    private DelayQueueHeaders() {}
}
