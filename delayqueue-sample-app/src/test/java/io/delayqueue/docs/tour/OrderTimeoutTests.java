package io.delayqueue.docs.tour;

import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

// tag::test[]
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@ExtendWith(OutputCaptureExtension.class)
class OrderTimeoutTests {

    static final EmbeddedRedis redis = EmbeddedRedis.start(); // ends with the JVM, after the application

    @DynamicPropertySource
    static void redis(DynamicPropertyRegistry registry) {
        registry.add("spring.data.redis.url", redis::uri);
        registry.add("delayqueue.command-timeout", () -> "20s"); // build machines may be slow
    }

    @Test
    void unpaidOrderIsClosed(
            @Autowired Orders orders, @Autowired DelayQueueOperations delayQueue, CapturedOutput output) {
        orders.place("4711", Duration.ofMinutes(30));

        delayQueue.reschedule("order-timeout", "4711", Duration.ZERO); // instead of waiting for 30 minutes

        await().until(() -> output.getOut().contains("order 4711 was not paid in time and is closed"));
    }
}
// end::test[]
