package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.TestQueue;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.proxy.Request;
import io.delayqueue.testsupport.proxy.Rule;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Redis hands out messages and refuses to settle them: a consumer stops claiming at a bound, says so, and goes on by itself. */
class FailingSettlementsTests {

    private static final int MESSAGES = 4000;

    /** Two batches that wait, and the messages that were claimed behind them. */
    private static final int MOST_IN_HAND = 2 * 512 + 200;

    private static final Duration LEASE = Duration.ofMinutes(5);

    @RegisterExtension
    final ProxiedQueues queues = new ProxiedQueues();

    private final AtomicInteger handled = new AtomicInteger();

    @Test
    void aConsumerWhoseAcksFailStopsClaimingAtABoundAndGoesOnByItself() {
        DelayQueueClient queue = queues.queue(options -> options.commandTimeout(TestQueue.COMMAND_TIMEOUT));
        DelayQueueClient straight = queues.straightQueue();
        Rule refused = queues.proxy().answer(Request.script("ack"), "ERR pretended");
        straight.scheduleAll(IntStream.range(0, MESSAGES)
                .mapToObj(i -> ProxiedQueues.message("m" + i).build())
                .toList());
        try (LogLines log = LogLines.ofEngine()) {
            Subscription subscription =
                    ProxiedQueues.consume(queue, 20, LEASE, (message, delivery) -> handled.incrementAndGet());
            Fleet.await().until(() -> subscription.inFlight() >= 1024 && !subscription.isHealthy());
            int repeated = refused.count();
            Fleet.await().until(() -> refused.count() > repeated + 2);

            assertThat(handled.get()).isBetween(1024, MOST_IN_HAND);
            assertThat(subscription.inFlight()).isBetween(1024, MOST_IN_HAND);
            assertThat(straight.stats(ProxiedQueues.TOPIC).pending().total())
                    .isGreaterThanOrEqualTo(MESSAGES - MOST_IN_HAND);

            queues.proxy().forward();

            assertThat(ProxiedQueues.awaitDrained(straight).totals().acked()).isEqualTo(MESSAGES);
            assertThat(handled).hasValue(MESSAGES);
            Fleet.await().until(subscription::isHealthy);
        }
    }

    @Test
    void theBacklogIsLogged() {
        DelayQueueClient queue = queues.queue(
                options -> options.guardInterval(Duration.ofMillis(200)).commandTimeout(TestQueue.COMMAND_TIMEOUT));
        queues.proxy().answer(Request.script("ack"), "ERR pretended");
        queues.straightQueue()
                .scheduleAll(IntStream.range(0, MESSAGES)
                        .mapToObj(i -> ProxiedQueues.message("m" + i).build())
                        .toList());
        try (LogLines log = LogLines.ofEngine()) {
            ProxiedQueues.consume(queue, 20, LEASE, (message, delivery) -> handled.incrementAndGet());

            Fleet.await()
                    .untilAsserted(() -> assertThat(log.lines())
                            .filteredOn(line -> line.contains("no more are claimed"))
                            .singleElement()
                            .asString()
                            .startsWith("WARN Topic 'orders': Redis does not settle "));
            queues.proxy().forward();
            ProxiedQueues.awaitDrained(queues.straightQueue());
        }
    }

    @Test
    void anotherTopicOfTheSameClientGoesOn() {
        DelayQueueClient queue = queues.queue(options -> options.commandTimeout(TestQueue.COMMAND_TIMEOUT));
        AtomicInteger others = new AtomicInteger();
        Rule refused = queues.proxy()
                .answer(
                        request -> Request.script("ack").test(request) && request.mentions(ProxiedQueues.TOPIC),
                        "ERR pretended");
        queues.straightQueue()
                .scheduleAll(IntStream.range(0, MESSAGES)
                        .mapToObj(i -> ProxiedQueues.message("m" + i).build())
                        .toList());
        Subscription stuck = ProxiedQueues.consume(queue, 20, LEASE, (message, delivery) -> handled.incrementAndGet());
        Fleet.await().until(() -> !stuck.isHealthy());
        Subscription other = queue.subscribe(
                "other", io.delayqueue.ConsumerOptions.defaults(), (message, delivery) -> others.incrementAndGet());
        other.start();

        queue.scheduleAll(IntStream.range(0, 100)
                .mapToObj(i -> OutgoingMessage.to("other").payload(new byte[0]).build())
                .toList());

        Fleet.await().until(() -> queue.stats("other").totals().acked() == 100);
        assertThat(other.isHealthy()).isTrue();
        assertThat(stuck.isHealthy()).isFalse();
        assertThat(refused.count()).isPositive();
        queues.proxy().forward();
        ProxiedQueues.awaitDrained(queues.straightQueue());
    }
}
