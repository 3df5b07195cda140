package io.delayqueue.sample.order;

import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An order as it stands.
 *
 * @param customer e-mail address
 * @param closesAt when it is closed unless paid, by this application's clock
 * @param endedAt when it was paid or closed; null while it is neither
 */
public record Order(
        String id,
        String customer,
        BigDecimal amount,
        State state,
        Instant placedAt,
        Instant closesAt,
        @Nullable Instant endedAt) {

    /** {@code PLACED}, then one of the others for good. */
    public enum State {
        PLACED,
        PAID,
        CLOSED
    }

    Order ended(State how, Instant at) {
        return new Order(id, customer, amount, how, placedAt, closesAt, at);
    }
}
