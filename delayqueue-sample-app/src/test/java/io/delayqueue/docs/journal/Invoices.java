package io.delayqueue.docs.journal;

import io.delayqueue.spring.annotation.DelayQueueListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

// tag::idempotent[]
@Component
class Invoices {

    private final JdbcClient jdbc;

    Invoices(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @DelayQueueListener(id = "invoices", topic = "order-closed", idempotent = true)
    void create(String order) {
        jdbc.sql("INSERT INTO invoices (order_number) VALUES (?)").param(order).update();
    }
}
// end::idempotent[]
