package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.testsupport.NewThreads;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A thread that outlives its client keeps the handlers and, through them, the application that was closed. */
class ThreadsOfClosedClientsTests {

    private static final int CLIENTS = 5;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void threadsEndAtOnceHoweverLongTheCommandTimeoutIs() throws Exception {
        NewThreads threads = new NewThreads();
        for (int i = 0; i < CLIENTS; i++) {
            try (DelayQueueClient client = test.open(options -> options.commandTimeout(Duration.ofMinutes(5)))) {
                CountDownLatch handled = new CountDownLatch(1);
                TestQueue.consume(client, TestQueue.options(), (message, delivery) -> handled.countDown());
                client.schedule(TestQueue.message().build());
                assertThat(handled.await(25, TimeUnit.SECONDS)).isTrue();
                assertThat(threads.named("delayqueue-redis")).isNotEmpty();
            }
        }

        TestQueue.await()
                .untilAsserted(() -> assertThat(threads.named("delayqueue-")).isEmpty());
    }
}
