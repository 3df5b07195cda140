package io.delayqueue.sample.order;

import io.delayqueue.sample.order.Order.State;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** The orders, in memory. A real shop has a table here, and an {@code UPDATE … WHERE state = 'PLACED'} for {@link #end}. */
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
     * Pays or closes an order that is still open. Paying and closing race here, and only here: one of them wins, whatever
     * the queue does.
     */
    Optional<Ending> end(String id, State how, Instant at) {
        for (Order order = orders.get(id); order != null; order = orders.get(id)) {
            if (order.state() != State.PLACED) {
                return Optional.of(new Ending(order, false));
            }
            Order ended = order.ended(how, at);
            if (orders.replace(id, order, ended)) {
                return Optional.of(new Ending(ended, true));
            }
        }
        return Optional.empty();
    }

    /**
     * What came of an attempt to end an order.
     *
     * @param order how it stands now
     * @param won whether this attempt ended it; otherwise an earlier one did
     */
    record Ending(Order order, boolean won) {}
}
