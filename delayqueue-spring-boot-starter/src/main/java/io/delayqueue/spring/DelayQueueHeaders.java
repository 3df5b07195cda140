package io.delayqueue.spring;

/**
 * Names of the headers that describe a delivery, for {@code @Header(…)} parameters. A listener gets them in addition to the
 * message's own headers; they are not stored in Redis.
 *
 * <p>spring-messaging reserves the names {@code id} and {@code timestamp}: a message's own headers of these names are only in
 * {@link DelayQueueMessage#headers()}.
 */
public final class DelayQueueHeaders {

    /** Prefix of these names. */
    public static final String PREFIX = "delayqueue_";

    /** Topic, a {@code String}. */
    public static final String TOPIC = PREFIX + "topic";

    /** Id of the message, a {@code String}. */
    public static final String ID = PREFIX + "id";

    /** Number of this attempt, from 1, an {@code Integer}. */
    public static final String ATTEMPT = PREFIX + "attempt";

    /** Number of attempts after which the message is dead-lettered, an {@code Integer}. */
    public static final String MAX_ATTEMPTS = PREFIX + "maxAttempts";

    /** Due time by Redis' clock, an {@link java.time.Instant}. */
    public static final String DUE = PREFIX + "due";

    /** Priority, 0 to 9, an {@code Integer}. */
    public static final String PRIORITY = PREFIX + "priority";

    /** {@link io.delayqueue.Delivery} of the message. */
    public static final String DELIVERY = PREFIX + "delivery";

    private DelayQueueHeaders() {}
}
