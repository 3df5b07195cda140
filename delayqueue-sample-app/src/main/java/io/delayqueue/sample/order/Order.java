package io.delayqueue.sample.order;

import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An order and its state.
 *
 * @param customer e-mail address
 * @param closesAt when an unpaid order is closed, by this application's clock
 * @param endedAt when it was paid or closed; null while it is open
 */
public record Order(
        String id,
        String customer,
        BigDecimal amount,
        State state,
        Instant placedAt,
        Instant closesAt,
        @Nullable Instant endedAt) {

    /** {@code PLACED} first; {@code PAID} and {@code CLOSED} are final. */
    public enum State {
        PLACED,
        PAID,
        CLOSED
    }

    Order ended(State end, Instant at) {
        return new Order(id, customer, amount, end, placedAt, closesAt, at);
    }
}
