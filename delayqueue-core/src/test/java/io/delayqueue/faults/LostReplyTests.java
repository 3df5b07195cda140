package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.BulkScheduleException;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.proxy.FaultyProxy;
import io.delayqueue.testsupport.proxy.Request;
import io.delayqueue.testsupport.proxy.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis runs a call, and its reply is lost. */
@Tag("slow")
class LostReplyTests {

    private static final Duration LATER = Duration.ofHours(1);

    @RegisterExtension
    final ProxiedQueues queues = new ProxiedQueues();

    @ParameterizedTest
    @EnumSource
    void repeatedScheduleAnswersAsTheFirstTimeAndStoresNoSecondMessage(DuplicatePolicy policy) {
        DelayQueueClient queue = queues.queue(options -> options);
        queue.schedule(ProxiedQueues.message("old").delay(LATER).build());
        for (String id : List.of("old", "new")) {
            OutgoingMessage message =
                    ProxiedQueues.message(id).delay(LATER).ifExists(policy).build();
            queues.proxy().blackhole(FaultyProxy.Direction.REPLIES);
            assertThatThrownBy(() -> queue.schedule(message)).isInstanceOf(RedisUnavailableException.class);
            queues.proxy().forward();

            ScheduleOutcome[] outcome = new ScheduleOutcome[1];
            Fleet.await()
                    .ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                    .until(() -> {
                        outcome[0] = queue.schedule(message).outcome();
                        return true;
                    });
            assertThat(outcome[0]).isEqualTo(id.equals("new") ? ScheduleOutcome.SCHEDULED : answerTo(policy));
        }

        assertThat(queues.straightQueue().stats(ProxiedQueues.TOPIC))
                .satisfies(stats -> assertThat(stats.totals().accepted()).isEqualTo(2))
                .satisfies(stats -> assertThat(stats.pending().total()).isEqualTo(2))
                .satisfies(stats -> assertThat(stats.unaccounted()).isZero());
    }

    private static ScheduleOutcome answerTo(DuplicatePolicy policy) {
        return switch (policy) {
            case REJECT -> ScheduleOutcome.REJECTED_DUPLICATE;
            case KEEP -> ScheduleOutcome.KEPT;
            case REPLACE -> ScheduleOutcome.REPLACED;
        };
    }

    @Test
    void batchWhoseReplyIsCutOffMidwayIsScheduledOnce() {
        DelayQueueClient queue = queues.queue(options -> options);
        queue.schedule(ProxiedQueues.message("first").delay(LATER).build());
        List<OutgoingMessage> batch = IntStream.range(0, 100)
                .mapToObj(i -> ProxiedQueues.message("m" + i).delay(LATER).build())
                .toList();
        queues.proxy().cutAfter(FaultyProxy.Direction.REPLIES, 20);

        assertThatThrownBy(() -> queue.scheduleAll(batch))
                .isInstanceOfSatisfying(
                        BulkScheduleException.class,
                        failure -> assertThat(failure.failedMessages()).isEqualTo(batch))
                .hasCauseInstanceOf(RedisUnavailableException.class);
        queues.proxy().forward();

        assertThat(queue.scheduleAll(batch))
                .allSatisfy(result -> assertThat(result.outcome()).isEqualTo(ScheduleOutcome.SCHEDULED));
        assertThat(queues.straightQueue().stats(ProxiedQueues.TOPIC).totals().accepted())
                .isEqualTo(101);
    }

    @Test
    void pauseRightAfterTheLostReplyOfAClaimParksNoMessage() {
        AtomicInteger calls = new AtomicInteger();
        DelayQueueClient queue = queues.queue(options -> options);
        DelayQueueClient straight = queues.straightQueue();
        letRedisKnowTheScripts(straight);
        straight.scheduleAll(IntStream.range(0, 20)
                .mapToObj(i -> ProxiedQueues.message("m" + i).build())
                .toList());
        Rule lost = queues.proxy().swallowReplies(Integer.MAX_VALUE, Request.script("claim"));
        Subscription subscription =
                ProxiedQueues.consume(queue, Duration.ofMinutes(1), (message, delivery) -> calls.incrementAndGet());
        Fleet.await().until(() -> lost.count() > 0);
        // the call may have been seen on its way, before Redis had it
        Fleet.await().until(() -> straight.stats(ProxiedQueues.TOPIC).inFlight() > 0);

        subscription.pause();

        long parked = straight.stats(ProxiedQueues.TOPIC).inFlight();
        assertThat(parked).isPositive();
        assertThat(calls).as("handled before the pause").hasValue(0);
        queues.proxy().forward();
        Fleet.await().atMost(Duration.ofSeconds(20)).until(() -> calls.get() == parked);
        Fleet.await().until(() -> straight.stats(ProxiedQueues.TOPIC).totals().acked() == parked + 1);
        assertThat(straight.stats(ProxiedQueues.TOPIC).pending().total())
                .as("left while paused")
                .isEqualTo(20 - parked);
        subscription.resume();
        assertThat(ProxiedQueues.awaitDrained(straight).totals().acked()).isEqualTo(21);
        assertThat(calls).hasValue(20);
    }

    private static void letRedisKnowTheScripts(DelayQueueClient straight) {
        straight.schedule(ProxiedQueues.message("first").build());
        Subscription subscription = ProxiedQueues.consume(straight, Duration.ofMinutes(1), (message, delivery) -> {});
        ProxiedQueues.awaitDrained(straight);
        subscription.stop(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @ValueSource(strings = {"claim", "ack", "extend", "retry"})
    void lostRepliesCostNoAttemptAndDoubleNoDelivery(String script) {
        Set<String> handled = ConcurrentHashMap.newKeySet();
        AtomicInteger calls = new AtomicInteger();
        DelayQueueClient queue = queues.queue(options -> options);
        DelayQueueClient producer = queues.straightQueue();
        Rule lost = queues.proxy().swallowReplies(3, Request.script(script));
        Duration lease = script.equals("extend") ? Duration.ofSeconds(6) : Duration.ofMinutes(1);
        ProxiedQueues.consume(queue, lease, (message, delivery) -> {
            calls.incrementAndGet();
            if (script.equals("extend")) {
                // renewed twice
                Fleet.await().until(() -> lost.count() >= 2);
            } else if (script.equals("retry") && message.attempt() == 1) {
                delivery.retryAfter(Duration.ZERO);
            }
            handled.add(message.id() + " " + message.attempt());
        });

        for (int i = 0; i < 20; i++) {
            producer.schedule(ProxiedQueues.message("m" + i).build());
        }

        assertThat(ProxiedQueues.awaitDrained(producer).totals().acked()).isEqualTo(20);
        int attempts = script.equals("retry") ? 2 : 1;
        assertThat(lost.count()).isPositive();
        assertThat(calls).hasValue(20 * attempts);
        assertThat(handled).hasSize(20 * attempts);
        assertThat(producer.stats(ProxiedQueues.TOPIC).totals().retried()).isEqualTo(20L * (attempts - 1));
    }
}
