package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages that fell due without a consumer are delivered as soon as one starts, without a new message to wake it. */
class OverdueAtStartTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void newConsumerGetsMessagesThatWereDueBeforeItStarted() {
        test.scheduleMany(50);
        Deliveries deliveries = new Deliveries(test);

        TestQueue.consume(test.open(options -> options), TestQueue.options(), deliveries);

        TestQueue.await().until(() -> deliveries.all().size() == 50);
        test.awaitDrained();
    }

    @Test
    void restartedConsumerGetsMessagesThatBecameDueMeanwhile() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        Subscription subscription = test.consume(TestQueue.options(), deliveries);
        test.schedule("before");
        deliveries.next();
        test.queue()
                .schedule(TestQueue.message()
                        .id("meanwhile")
                        .delay(Duration.ofMillis(50))
                        .build());
        assertThat(subscription.stop(Duration.ofSeconds(5))).isTrue();
        TestQueue.await()
                .until(() ->
                        test.stats().pending().ready() + test.stats().totals().acked() == 2);

        subscription.start();

        TestQueue.await().until(() -> deliveries.ids().contains("meanwhile"));
        test.awaitDrained();
    }

    @Test
    void consumerOfANewProcessGetsMessagesOfAClosedOne() throws Exception {
        DelayQueueClient former = test.open(options -> options);
        Deliveries formerly = new Deliveries(test);
        TestQueue.consume(former, TestQueue.options(), formerly);
        former.schedule(TestQueue.message().id("handled").build());
        formerly.next();
        former.close();
        test.schedule("left");
        Deliveries deliveries = new Deliveries(test);

        TestQueue.consume(test.open(options -> options), TestQueue.options(), deliveries);

        assertThat(deliveries.next().id()).isEqualTo("left");
        test.awaitDrained();
    }
}
