package io.delayqueue.docs.tour;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

// tag::order-book[]
@Component
class OrderBook {

    private final Set<String> unpaid = ConcurrentHashMap.newKeySet();

    void add(String orderId) {
        unpaid.add(orderId);
    }

    void pay(String orderId) {
        unpaid.remove(orderId);
    }

    void closeUnlessPaid(String orderId) {
        if (unpaid.remove(orderId)) {
            System.out.println("order " + orderId + " was not paid in time and is closed");
        }
    }
}
// end::order-book[]
