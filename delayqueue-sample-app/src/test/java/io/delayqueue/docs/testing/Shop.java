package io.delayqueue.docs.testing;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** The application under test. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Shop {

    private final Map<String, String> states = new ConcurrentHashMap<>();
    private final DelayQueueOperations delayQueue;

    Shop(DelayQueueOperations delayQueue) {
        this.delayQueue = delayQueue;
    }

    void place(String orderId) {
        states.put(orderId, "placed");
        delayQueue
                .message("order-timeout", orderId)
                .id(orderId)
                .delay(Duration.ofMinutes(30))
                .schedule();
    }

    @DelayQueueListener(topic = "order-timeout")
    void close(String orderId) {
        states.put(orderId, "closed");
    }

    @Nullable
    String state(String orderId) {
        return states.get(orderId);
    }
}
