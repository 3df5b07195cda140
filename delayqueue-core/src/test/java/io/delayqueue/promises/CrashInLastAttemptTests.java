package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DeadLetter;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.ScoredValue;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
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

    /** An even deadline tells Redis that the attempt was made; see decision 023. */
    @Test
    void singleAttemptsThatWaitUntilTheyAreDueAreNotTakenForBegun() {
        int count = 20;
        Duration between = Duration.ofMillis(50);
        DelayQueueClient queue = test.open(options -> options.claimAhead(Duration.ofSeconds(1)));
        TestQueue.consume(
                queue,
                ConsumerOptions.builder()
                        .lease(Duration.ofSeconds(5))
                        .concurrency(100)
                        .maxAttempts(1),
                (message, delivery) -> {});
        Set<String> seenEarly = new HashSet<>();
        Map<String, Long> dueMicros = new HashMap<>();
        // a machine that stands still meanwhile sees none
        for (int round = 1; round <= 5 && seenEarly.size() <= count / 10; round++) {
            Instant first = test.now().plusMillis(1_500);
            for (int i = 0; i < count; i++) {
                Instant due = first.plus(between.multipliedBy(i));
                String id = round + "-" + i;
                queue.schedule(TestQueue.message().id(id).dueAt(due).build());
                dueMicros.put(id, ChronoUnit.MICROS.between(Instant.EPOCH, due));
            }
            long all = (long) round * count;

            TestQueue.await().pollInterval(Duration.ofMillis(10)).until(() -> {
                List<ScoredValue<String>> leased = test.redis().zrangeWithScores(TestQueue.key("leased"), 0, -1);
                long now = test.nowMicros();
                for (ScoredValue<String> lease : leased) {
                    long early = dueMicros.get(lease.getValue()) - now;
                    if (early > 0) {
                        seenEarly.add(lease.getValue());
                        assertThat((long) lease.getScore() % 2)
                                .as("deadline of %s, %s µs early", lease.getValue(), early)
                                .isEqualTo(1);
                    }
                }
                return test.stats().totals().acked() == all;
            });
        }

        assertThat(seenEarly).hasSizeGreaterThan(count / 10);
    }
}
