package io.delayqueue.sample.order;

import io.delayqueue.sample.order.Order.State;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** The orders, in memory. A real shop has a table, and {@code UPDATE … WHERE state = 'PLACED'} in place of {@link #end}. */
@Component
class OrderBook {

    private final Map<String, Order> orders = new ConcurrentHashMap<>();

    void add(Order order) {
        orders.put(order.id(), order);
    }

    void remove(String id) {
        orders.remove(id);
    }

    Optional<Order> find(String id) {
        return Optional.ofNullable(orders.get(id));
    }

    List<Order> all() {
        return orders.values().stream()
                .sorted(Comparator.comparing(Order::placedAt).thenComparing(Order::id))
                .toList();
    }

    /**
     * Pays or closes an order that is still open; empty if there is no such order. Paying and closing race here, and only
     * here: the first one wins.
     */
    Optional<Ending> end(String id, State end, Instant at) {
        for (Order order = orders.get(id); order != null; order = orders.get(id)) {
            if (order.state() != State.PLACED) {
                return Optional.of(new Ending(order, false));
            }
            Order ended = order.ended(end, at);
            if (orders.replace(id, order, ended)) {
                return Optional.of(new Ending(ended, true));
            }
        }
        return Optional.empty();
    }

    /**
     * The result of an attempt to pay or close an order.
     *
     * @param order its present state
     * @param won whether this attempt ended it; if not, an earlier one did
     */
    record Ending(Order order, boolean won) {}
}
