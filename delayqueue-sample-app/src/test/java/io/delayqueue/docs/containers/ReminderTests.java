package io.delayqueue.docs.containers;

import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

// tag::test[]
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@Testcontainers(disabledWithoutDocker = true)
class ReminderTests {

    @Container
    @ServiceConnection
    static final GenericContainer<?> redis = new GenericContainer<>("redis:8.4.0").withExposedPorts(6379);

    @Test
    void reminderIsSent(@Autowired DelayQueueOperations delayQueue, @Autowired Reminders reminders) {
        delayQueue.schedule("reminder", "Call Ann", Duration.ofMillis(100));

        await().until(() -> reminders.sent.contains("Call Ann"));
    }
}
// end::test[]
