package io.delayqueue.sample.journal;

import io.delayqueue.sample.SampleProperties;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.Orders;
import java.math.BigDecimal;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Profile;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** An order in a transaction of more than its own work. */
@RestController
@RequestMapping("/journal")
@Profile("journal")
class JournalController {

    private static final Logger log = LoggerFactory.getLogger("shop");

    private final Orders orders;
    private final TransactionTemplate transaction;
    private final SampleProperties properties;

    JournalController(Orders orders, TransactionTemplate transaction, SampleProperties properties) {
        this.orders = orders;
        this.transaction = transaction;
        this.properties = properties;
    }

    /**
     * Places an order.
     *
     * @param rollBack whether the transaction fails in the end: then there is no order, and no timeout is ever delivered
     */
    @PostMapping("/orders")
    Order place(
            @RequestParam String customer,
            @RequestParam BigDecimal amount,
            @RequestParam(defaultValue = "false") boolean rollBack) {
        String id = UUID.randomUUID().toString().substring(0, 8);
        Order placed = transaction.execute(status -> {
            Order order = orders.place(id, customer, amount, properties.paymentTimeout());
            if (rollBack) {
                status.setRollbackOnly();
            }
            return order;
        });
        log.info("order   {} {}", id, rollBack ? "rolled back, and its timeout with it" : "committed with its timeout");
        return placed;
    }
}
