package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Applications with different key prefixes on one server never see each other, even with names that look like prefixes. */
class KeyPrefixTests {

    /** Each is the start of another one, or looks like a key or channel of another one. */
    private static final List<String> PREFIXES = List.of(
            "dq", "dq2", "dq:", "dq::", "dq:topics", "dq:orders", "dq:orders:0", "d", "dq:dq", "DQ", "*", "dq*");

    /** Continues some of the prefixes. */
    private static final List<String> TOPICS =
            List.of("orders", "dq", "topics", ":orders", "orders:0", "orders:0:meta", "0");

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void messagesReachTheirOwnPrefixOnly() throws Exception {
        Map<String, Deliveries> deliveries = new LinkedHashMap<>();
        Map<String, DelayQueueClient> queues = queues();
        queues.forEach((prefix, queue) -> {
            deliveries.put(prefix, new Deliveries(test));
            TOPICS.forEach(topic -> queue.subscribe(topic, TestQueue.options().build(), deliveries.get(prefix))
                    .start());
        });

        // the same ids everywhere; the payload tells where they belong
        queues.forEach((prefix, queue) -> queue.scheduleAll(
                TOPICS.stream().map(topic -> to(topic, prefix).build()).toList()));

        TestQueue.await()
                .untilAsserted(() -> assertThat(queues.values())
                        .allSatisfy(queue -> assertThat(queue.stats(TOPICS).values())
                                .allSatisfy(stats ->
                                        assertThat(stats.totals().acked()).isEqualTo(1))));
        deliveries.forEach((prefix, its) -> {
            assertThat(its.all())
                    .extracting(entry -> entry.message().topic())
                    .containsExactlyInAnyOrderElementsOf(TOPICS);
            assertThat(its.all())
                    .allSatisfy(entry ->
                            assertThat(new String(entry.message().payload())).isEqualTo(prefix));
        });
        // as many meta hashes as there are topics under all prefixes, and a set of names for each prefix
        assertThat(test.redis().dbsize()).isEqualTo((long) PREFIXES.size() * (TOPICS.size() + 1));
    }

    @Test
    void operationsChangeNothingUnderOtherPrefixes() {
        Map<String, DelayQueueClient> queues = queues();
        for (String prefix : PREFIXES) {
            DelayQueueClient queue = queues.get(prefix);
            assertThat(queue.topics()).isEmpty();
            assertThat(queue.find("orders", "a")).isEmpty();
            assertThat(queue.cancel("orders", "a")).isEqualTo(CancelOutcome.NOT_FOUND);
            assertThat(queue.reschedule("orders", "a", Delay.of(Duration.ZERO))).isEqualTo(RescheduleOutcome.NOT_FOUND);
            TopicStats stats = queue.stats("orders");
            assertThat(stats.totals().accepted() + stats.pending().total()).isZero();
            assertThat(stats.paused()).isFalse();

            queue.schedule(
                    to("orders", prefix).id("a").delay(Duration.ofHours(1)).build());
            queue.pause("orders");
        }

        queues.get("dq").resume("orders");
        queues.get("dq").cancel("orders", "a");

        queues.forEach((prefix, queue) -> {
            assertThat(queue.topics()).isEqualTo(new TreeSet<>(List.of("orders")));
            assertThat(queue.stats("orders").paused()).isEqualTo(!prefix.equals("dq"));
            assertThat(queue.stats("orders").pending().total()).isEqualTo(prefix.equals("dq") ? 0 : 1);
            assertThat(queue.find("orders", "a").isPresent()).isEqualTo(!prefix.equals("dq"));
        });
    }

    /** A consumer subscribes to the channels of its own prefix; none subscribes to a pattern. */
    @Test
    void eachPrefixHasItsOwnChannels() {
        queues().forEach((prefix, queue) -> queue.subscribe(
                        "orders", TestQueue.options().build(), (message, delivery) -> {})
                .start());

        TestQueue.await().untilAsserted(() -> {
            List<String> channels = test.redis().pubsubChannels();
            assertThat(channels)
                    .containsExactlyInAnyOrderElementsOf(PREFIXES.stream()
                            .map(prefix -> prefix + ":{orders:0}")
                            .toList());
            assertThat(test.redis()
                            .pubsubNumsub(channels.toArray(String[]::new))
                            .values())
                    .containsOnly(1L);
        });
        assertThat(test.redis().pubsubNumpat()).isZero();
    }

    private Map<String, DelayQueueClient> queues() {
        Map<String, DelayQueueClient> queues = new LinkedHashMap<>();
        PREFIXES.forEach(prefix -> queues.put(prefix, test.open(test.admin(), options -> options.keyPrefix(prefix))));
        return queues;
    }

    private static OutgoingMessage.Builder to(String topic, String prefix) {
        return OutgoingMessage.to(topic).id("a").payload(TestQueue.bytes(prefix));
    }
}
