package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DeadLetter;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A lease that expires in the last attempt dead-letters its message, whether consumer or message set maxAttempts. */
class CrashInLastAttemptTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @ParameterizedTest
    @CsvSource({"1,", "5,1"})
    void messageIsDeadLetteredAndItsLateHandlerIsRefused(int ofConsumer, @Nullable Integer ofMessage) throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            if (message.id().equals("last")) {
                mayEnd.await();
            }
        });
        test.consume(TestQueue.options().maxAttempts(ofConsumer), deliveries);
        OutgoingMessage.Builder message = TestQueue.message().id("last");
        if (ofMessage != null) {
            message.maxAttempts(ofMessage);
        }
        test.queue().schedule(message.build());
        deliveries.next();

        test.expireLeaseOf("last");
        test.schedule("wakes the consumer");

        TestQueue.await().until(() -> test.stats().dead() == 1);
        DeadLetter dead = test.queue().deadLetters(TestQueue.TOPIC).list(0, 10).get(0);
        assertThat(dead.id()).isEqualTo("last");
        assertThat(dead.attempts()).isEqualTo(1);
        assertThat(dead.error()).contains("lease expired");
        mayEnd.countDown();
        test.awaitAcked(1);
        assertThat(test.stats().totals().acked()).isEqualTo(1);
        assertThat(test.stats().dead()).isEqualTo(1);
    }
}
