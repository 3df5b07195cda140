package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.proxy.Request;
import io.delayqueue.testsupport.proxy.Rule;
import io.lettuce.core.KillArgs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A loop gets malformed replies of every form: it neither ends nor spins nor floods the log, and goes on once the replies
 * are valid. Each message is handled once.
 */
@Tag("slow")
class NonsenseRepliesTests {

    /** No protocol at all; replies of the wrong type or length; and half a reply before the connection breaks. */
    private static final List<String> NONSENSE = List.of(
            "so what?\r\n",
            "$-1\r\n",
            "*-1\r\n",
            ":7\r\n",
            "+OK\r\n",
            "$3\r\nabc\r\n",
            "*0\r\n",
            "*2\r\n:1\r\n:2\r\n",
            "*2\r\n$1\r\nx\r\n*1\r\n$-1\r\n",
            "*13\r\n:17");

    @RegisterExtension
    final ProxiedQueues queues = new ProxiedQueues();

    private final Queue<String> handled = new ConcurrentLinkedQueue<>();
    private final Queue<String> leasesLost = new ConcurrentLinkedQueue<>();
    private DelayQueueClient queue;
    private DelayQueueClient other;
    private LogLines log;

    @BeforeEach
    void open() {
        log = LogLines.ofLibrary();
        other = queues.straightQueue();
        queue = queues.queue(options -> options.observer(new DelayQueueObserver() {
            @Override
            public void leaseLost(ReceivedMessage message) {
                leasesLost.add(message.id());
            }
        }));
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void claimsSurviveMalformedReplies() {
        consume(Duration.ofMinutes(1));
        for (int i = 0; i < NONSENSE.size(); i++) {
            Rule rule = answer(Request.script("claim"), NONSENSE.get(i));
            other.schedule(ProxiedQueues.message("m" + i).build());
            awaitRetryAfter(rule, NONSENSE.get(i));
            awaitHandled("m" + i);
        }
        eachWasHandledOnce(NONSENSE.size());
    }

    @Test
    void acksSurviveMalformedReplies() {
        consume(Duration.ofMinutes(1));
        for (int i = 0; i < NONSENSE.size(); i++) {
            Rule rule = answer(Request.script("ack"), NONSENSE.get(i));
            other.schedule(ProxiedQueues.message("m" + i).build());
            awaitRetryAfter(rule, NONSENSE.get(i));
            Fleet.await().until(() -> other.stats(ProxiedQueues.TOPIC).inFlight() == 0);
        }
        eachWasHandledOnce(NONSENSE.size());
    }

    @Test
    void retriesSurviveMalformedReplies() {
        ProxiedQueues.consume(queue, Duration.ofMinutes(1), (message, delivery) -> {
            if (message.attempt() == 1) {
                delivery.retryAfter(Duration.ZERO);
            } else {
                handled.add(message.id());
            }
        });
        for (int i = 0; i < NONSENSE.size(); i++) {
            Rule rule = answer(Request.script("retry"), NONSENSE.get(i));
            other.schedule(ProxiedQueues.message("m" + i).build());
            awaitRetryAfter(rule, NONSENSE.get(i));
            awaitHandled("m" + i);
        }
        eachWasHandledOnce(NONSENSE.size(), NONSENSE.size());
    }

    @Test
    void leaseRenewalsSurviveMalformedReplies() {
        CountDownLatch mayFinish = new CountDownLatch(1);
        // each renewal meets nonsense, and a stall of the machine may come on top of that
        Subscription subscription = ProxiedQueues.consume(queue, Duration.ofSeconds(5), (message, delivery) -> {
            mayFinish.await();
            handled.add(message.id());
        });
        other.schedule(ProxiedQueues.message("held").build());
        Fleet.await().until(() -> subscription.inFlight() == 1);
        for (String nonsense : NONSENSE) {
            awaitRetryAfter(answer(Request.script("extend"), nonsense), nonsense);
            double before = queues.redis().zscore(ProxiedQueues.key("leased"), "held");
            Fleet.await().until(() -> queues.redis().zscore(ProxiedQueues.key("leased"), "held") > before);
        }
        mayFinish.countDown();
        awaitHandled("held");
        eachWasHandledOnce(1);
    }

    @Test
    void schedulesFailWithMalformedRepliesAndCanBeRepeated() {
        consume(Duration.ofMinutes(1));
        for (int i = 0; i < NONSENSE.size(); i++) {
            String id = "m" + i;
            Rule rule = answer(Request.script("schedule"), NONSENSE.get(i));
            assertThatExceptionOfType(DelayQueueException.class)
                    .as("answer to %s", NONSENSE.get(i))
                    .isThrownBy(() -> queue.schedule(ProxiedQueues.message(id).build()));
            assertThat(rule.count()).isPositive();
            queues.proxy().forward();
            Fleet.await().ignoreExceptionsInstanceOf(DelayQueueException.class).until(() -> {
                queue.schedule(ProxiedQueues.message(id).build());
                return true;
            });
            awaitHandled(id);
        }
        eachWasHandledOnce(NONSENSE.size());
    }

    @Test
    void subscriptionsSurviveMalformedReplies() {
        consume(Duration.ofMinutes(1));
        other.schedule(ProxiedQueues.message("first").build());
        awaitHandled("first");
        for (int i = 0; i < NONSENSE.size(); i++) {
            Rule rule = answer(Request.named("SUBSCRIBE"), NONSENSE.get(i));
            queues.redis().clientKill(KillArgs.Builder.typePubsub());
            awaitRetryAfter(rule, NONSENSE.get(i));
            Fleet.await().until(() -> !queues.redis().pubsubChannels("dq:*").isEmpty());
            // the guard interval is an hour: only a wake-up can deliver it
            other.schedule(ProxiedQueues.message("m" + i).build());
            awaitHandled("m" + i);
        }
        eachWasHandledOnce(1 + NONSENSE.size());
    }

    @Test
    void statsFailWithMalformedReplies() {
        for (String nonsense : NONSENSE) {
            Rule rule = answer(Request.script("stats"), nonsense);
            assertThatExceptionOfType(DelayQueueException.class)
                    .as("answer to %s", nonsense)
                    .isThrownBy(() -> queue.stats(ProxiedQueues.TOPIC));
            assertThat(rule.count()).isPositive();
            queues.proxy().forward();
            Fleet.await()
                    .ignoreExceptionsInstanceOf(DelayQueueException.class)
                    .until(() -> queue.stats(ProxiedQueues.TOPIC).totals().accepted() == 0);
        }
    }

    private void consume(Duration lease) {
        ProxiedQueues.consume(queue, lease, (message, delivery) -> handled.add(message.id()));
    }

    private Rule answer(Predicate<Request> which, String nonsense) {
        byte[] bytes = nonsense.getBytes(StandardCharsets.US_ASCII);
        return nonsense.endsWith("\r\n")
                ? queues.proxy().answerRaw(which, bytes)
                : queues.proxy().answerRawAndReset(which, bytes);
    }

    /** Waits for two replies, so that the loop has retried. */
    private void awaitRetryAfter(Rule rule, String nonsense) {
        long begun = System.nanoTime();
        Fleet.await().until(() -> rule.count() >= 2);
        queues.proxy().forward();
        long seconds = (System.nanoTime() - begun) / 1_000_000_000 + 1;
        assertThat(rule.count()).as("times met %s in %d s", nonsense, seconds).isLessThan((int) (16 + 8 * seconds));
    }

    private void awaitHandled(String id) {
        Fleet.await().until(() -> handled.contains(id));
    }

    private void eachWasHandledOnce(int messages) {
        eachWasHandledOnce(messages, 0);
    }

    private void eachWasHandledOnce(int messages, int retries) {
        assertThat(ProxiedQueues.awaitDrained(other).totals().acked()).isEqualTo(messages);
        assertThat(handled).hasSize(messages).doesNotHaveDuplicates();
        assertThat(leasesLost).isEmpty();
        assertThat(other.stats(ProxiedQueues.TOPIC).totals().retried()).isEqualTo(retries);
        assertThat(log.lines()).hasSizeLessThan(4 * NONSENSE.size());
    }
}
