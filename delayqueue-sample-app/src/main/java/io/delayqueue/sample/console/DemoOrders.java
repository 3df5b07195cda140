package io.delayqueue.sample.console;

import io.delayqueue.sample.NotInReplay;
import io.delayqueue.sample.order.Orders;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Places four orders at start: one is never paid, and two have mailboxes that fail. With the profile {@code journal}, they outlive the
 * sample, and are placed once.
 */
@Component
@NotInReplay
@ConditionalOnBooleanProperty(name = "sample.demo", matchIfMissing = true)
class DemoOrders {

    private static final Duration TIME_TO_PAY = Duration.ofSeconds(5);

    private final Orders orders;

    DemoOrders(Orders orders) {
        this.orders = orders;
    }

    @EventListener(ApplicationReadyEvent.class)
    @Order(2)
    void begin() {
        if (orders.find("ann").isPresent()) {
            System.out.println("The four orders to begin with are there from an earlier start.\n");
            return;
        }
        System.out.println("Four orders to begin with:\n");
        place("ann", "ann@example.com", "42.00");
        place("bob", "bob@example.com", "12.50"); // never pays
        place("cleo", "cleo@flaky.example", "99.90"); // her mailbox is busy
        place("dave", "dave@gone.example", "7.00"); // his is gone
        CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS).execute(this::pay);
    }

    private void place(String id, String customer, String amount) {
        orders.place(id, customer, new BigDecimal(amount), TIME_TO_PAY);
    }

    private void pay() {
        orders.pay("ann");
        orders.pay("cleo");
        orders.pay("dave");
    }
}
