package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.proxy.Request;
import io.delayqueue.testsupport.proxy.Rule;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Claims, acks, lease renewals, schedules and subscriptions are answered with errors for a while: no loop ends, spins or
 * floods the log, and all recover by themselves. The guard interval is an hour: deliveries afterwards show that wake-ups
 * work, too.
 */
@Tag("slow")
class EveryLoopMeetsErrorsTests {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration OUTAGE = Duration.ofMillis(1500);

    @RegisterExtension
    final ProxiedQueues queues = new ProxiedQueues();

    private final Set<String> begun = ConcurrentHashMap.newKeySet();
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
    private final Map<String, CountDownLatch> mayFinish =
            Map.of("acked in the outage", new CountDownLatch(1), "held over the outage", new CountDownLatch(1));

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    LOADING Redis is loading the dataset in memory | RedisUnavailableException
                    BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE. | RedisUnavailableException
                    MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'. | RedisUnavailableException
                    NOREPLICAS Not enough good replicas to write. | RedisUnavailableException
                    OOM command not allowed when used memory > 'maxmemory'. | RedisFullException
                    NOAUTH Authentication required. | RedisAccessDeniedException
                    ERR unknown problem | UnexpectedReplyException
                    """)
    void everyLoopSurvivesTheError(String error, String type) throws Exception {
        survive(which -> queues.proxy().answer(which, error), type);
    }

    private void survive(Function<Predicate<Request>, Rule> harm, String type) throws Exception {
        DelayQueueClient queue = queues.queue(options -> options);
        Subscription subscription = consume(queue, LEASE);
        mayFinish
                .keySet()
                .forEach(id -> queue.schedule(ProxiedQueues.message(id).build()));
        Fleet.await().until(() -> begun.containsAll(mayFinish.keySet()));
        // so that the next claim comes with the first free slot: once leases are about to end, acks and renewals go
        // before it
        queue.schedule(ProxiedQueues.message("waits for a slot").build());

        try (LogLines log = LogLines.ofLibrary()) {
            Map<String, Rule> met = new LinkedHashMap<>();
            for (String script : new String[] {"claim", "ack", "extend", "schedule"}) {
                met.put(script, harm.apply(Request.script(script)));
            }
            met.put("subscribe", harm.apply(Request.named("SUBSCRIBE")));
            long begunNanos = System.nanoTime();
            queues.redis().clientKill(KillArgs.Builder.typePubsub());
            mayFinish.get("acked in the outage").countDown();
            // again if it did not get as far as Redis, since its connection was just replaced
            Fleet.await().untilAsserted(() -> {
                assertThatThrownBy(() ->
                                queue.schedule(ProxiedQueues.message("refused").build()))
                        .isInstanceOf(DelayQueueException.class)
                        .satisfies(refusal ->
                                assertThat(refusal.getClass().getSimpleName()).contains(type));
                assertThat(met.get("schedule").count()).isPositive();
            });
            Fleet.await()
                    .untilAsserted(() -> assertThat(met)
                            .allSatisfy((loop, rule) -> assertThat(rule.count())
                                    .as("calls of %s", loop)
                                    .isPositive()));
            Fleet.await().until(() -> System.nanoTime() - begunNanos > OUTAGE.toNanos());
            queues.proxy().forward();
            long seconds = (System.nanoTime() - begunNanos) / 1_000_000_000 + 1;

            assertThat(met)
                    .allSatisfy((loop, rule) -> assertThat(rule.count())
                            .as("calls of %s in %d s", loop, seconds)
                            .isBetween(1, (int) (16 + 8 * seconds)));
            assertThat(log.lines()).hasSizeBetween(1, 12);
        }
        mayFinish.values().forEach(CountDownLatch::countDown);
        DelayQueueClient other = queues.straightQueue();
        Fleet.await().until(() -> other.stats(ProxiedQueues.TOPIC).inFlight() == 0 && subscription.isHealthy());
        Fleet.await().ignoreExceptionsInstanceOf(DelayQueueException.class).until(() -> {
            other.schedule(ProxiedQueues.message("wake-up").build());
            return true;
        });
        Fleet.await().until(() -> handled.contains("wake-up"));
        assertThat(queue.schedule(ProxiedQueues.message("after").build()).id()).isEqualTo("after");
        Fleet.await().until(() -> handled.contains("after"));
        assertThat(ProxiedQueues.awaitDrained(other).totals().acked())
                .isEqualTo(other.stats(ProxiedQueues.TOPIC).totals().accepted());
        assertThat(handled).containsAll(mayFinish.keySet());
    }

    @Test
    void messagesInFlightKeepTheirLeasesWhileAcksAreRefused() {
        Duration lease = Duration.ofSeconds(5);
        DelayQueueClient queue = queues.queue(options -> options);
        Rule refused = queues.proxy().answer(Request.script("ack"), "ERR unknown problem");
        consume(queue, lease);
        queue.schedule(ProxiedQueues.message("held over the outage").build());
        Fleet.await().until(() -> begun.contains("held over the outage"));
        long begunNanos = System.nanoTime();
        queue.schedule(ProxiedQueues.message("done").build());
        Fleet.await().until(() -> refused.count() > 1);

        Fleet.await().until(() -> System.nanoTime() - begunNanos > lease.toNanos() * 3 / 2);
        queues.proxy().forward();
        mayFinish.values().forEach(CountDownLatch::countDown);

        ProxiedQueues.awaitDrained(queue);
        assertThat(attempts).containsEntry("held over the outage", 1);
    }

    private Subscription consume(DelayQueueClient queue, Duration lease) {
        return ProxiedQueues.consume(queue, 2, lease, (message, delivery) -> {
            begun.add(message.id());
            attempts.put(message.id(), message.attempt());
            CountDownLatch latch = mayFinish.get(message.id());
            if (latch != null) {
                latch.await();
            }
            handled.add(message.id());
        });
    }
}
