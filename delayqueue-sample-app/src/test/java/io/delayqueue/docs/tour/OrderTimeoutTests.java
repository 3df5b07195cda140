package io.delayqueue.docs.testing;

import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;

/** The guide's test. The first connection of a JVM is a slow one, hence the patience. */
@TestPropertySource(properties = "delayqueue.command-timeout=20s")
// tag::test[]
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
class OrderTimeoutTests {

    static final EmbeddedRedis redis = EmbeddedRedis.start(); // ends with the JVM, after the application

    @DynamicPropertySource
    static void redis(DynamicPropertyRegistry registry) {
        registry.add("spring.data.redis.url", redis::uri);
    }

    @Test
    void unpaidOrderIsClosed(@Autowired Shop shop, @Autowired DelayQueueOperations delayQueue) {
        shop.place("4711");

        delayQueue.reschedule("order-timeout", "4711", Duration.ZERO); // instead of waiting for 30 minutes

        await().until(() -> "closed".equals(shop.state("4711")));
    }
}
// end::test[]
