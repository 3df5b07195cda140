package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.DeadLetter;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Promise 5: a failed message is retried after its backoff, up to maxAttempts. */
class RetryTests {

    private static final Duration SHORT = Duration.ofMillis(20);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final List<Instant> failedAt = new CopyOnWriteArrayList<>();

    private final Deliveries failing = new Deliveries(test, (message, delivery) -> {
        failedAt.add(test.now());
        throw new IllegalStateException("attempt " + message.attempt() + " failed");
    });

    static Stream<Arguments> backoffsAndTheirLeastDelays() {
        return Stream.of(
                Arguments.of("fixed", Backoff.fixed(Duration.ofMillis(80)), List.of(80, 80, 80)),
                Arguments.of(
                        "exponential",
                        Backoff.exponential(Duration.ofMillis(30), 3, Duration.ofMillis(100), 0),
                        List.of(30, 90, 100)),
                Arguments.of(
                        "exponential with jitter",
                        Backoff.exponential(Duration.ofMillis(40), 2, Duration.ofMillis(100), 0.5),
                        List.of(20, 40, 50)),
                Arguments.of(
                        "listed",
                        Backoff.delays(List.of(Duration.ofMillis(100), Duration.ofMillis(10), Duration.ofMillis(50))),
                        List.of(100, 10, 50)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("backoffsAndTheirLeastDelays")
    void nextAttemptIsNotMadeBeforeTheBackoffIsOver(String name, Backoff backoff, List<Integer> leastMillis) {
        test.consume(TestQueue.options().maxAttempts(4).backoff(backoff), failing);

        test.schedule("fails");

        TestQueue.await().until(() -> test.stats().dead() == 1);
        assertThat(failing.attempts()).containsExactly(1, 2, 3, 4);
        for (int i = 0; i < leastMillis.size(); i++) {
            Deliveries.Entry next = failing.all().get(i + 1);
            Instant notBefore = failedAt.get(i).plusMillis(leastMillis.get(i));
            assertThat(next.message().due()).as("attempt %d", i + 2).isAfterOrEqualTo(notBefore);
            assertThat(next.at()).isAfterOrEqualTo(next.message().due());
        }
    }

    @Test
    void retriedMessageKeepsItsContentAndPriority() throws Exception {
        test.consume(options(2), failing);

        test.queue()
                .schedule(TestQueue.message()
                        .id("fails")
                        .header("k", "v")
                        .priority(7)
                        .build());

        Deliveries.Entry first = failing.next();
        Deliveries.Entry second = failing.next();
        assertThat(second.message().payload())
                .isEqualTo(first.message().payload())
                .isEqualTo(TestQueue.bytes("payload"));
        assertThat(second.message().headers()).containsExactly(java.util.Map.entry("k", "v"));
        assertThat(second.message().priority()).isEqualTo(7);
        assertThat(second.message().maxAttempts()).isEqualTo(2);
    }

    @Test
    void messageThatSucceedsLaterIsAcked() {
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            if (message.attempt() < 3) {
                throw new IllegalStateException("not yet");
            }
        });
        test.consume(options(5), deliveries);

        test.schedule("third time lucky");

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(test.stats().totals().retried()).isEqualTo(2);
        assertThat(deliveries.attempts()).containsExactly(1, 2, 3);
    }

    @Test
    void messageSaysItselfHowManyAttemptsItHas() {
        test.consume(options(2), failing);

        test.queue().schedule(TestQueue.message().id("four").maxAttempts(4).build());

        TestQueue.await().until(() -> test.stats().dead() == 1);
        assertThat(failing.attempts()).containsExactly(1, 2, 3, 4);
        assertThat(failing.all())
                .allSatisfy(entry -> assertThat(entry.message().maxAttempts()).isEqualTo(4));
    }

    @Test
    void failureThatIsNotRetryableIsDeadLetteredAtOnce() {
        test.consume(options(5).retryable(error -> !(error instanceof IllegalStateException)), failing);

        test.schedule("hopeless");

        TestQueue.await().until(() -> test.stats().dead() == 1);
        assertThat(failing.attempts()).containsExactly(1);
        assertThat(test.stats().totals().retried()).isZero();
    }

    @Test
    void handlerChoosesItsOwnDelayAndItCountsAsAnAttempt() throws Exception {
        Duration chosen = Duration.ofMillis(150);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            failedAt.add(test.now());
            delivery.retryAfter(chosen);
        });
        test.consume(options(2).backoff(Backoff.fixed(Duration.ofHours(1))), deliveries);

        test.schedule("asks for more");

        deliveries.next();
        assertThat(deliveries.next().at()).isAfterOrEqualTo(failedAt.get(0).plus(chosen));
        TestQueue.await().until(() -> test.stats().dead() == 1);
        assertThat(deliveries.attempts()).containsExactly(1, 2);
        assertThat(onlyDeadLetter().error()).contains("asked for another attempt");
    }

    @Test
    void handlerDeadLettersAMessageWithItsReason() {
        Deliveries deliveries =
                new Deliveries(test, (message, delivery) -> delivery.deadLetter("no such customer: 42"));
        test.consume(options(5), deliveries);

        test.schedule("hopeless");

        TestQueue.await().until(() -> test.stats().dead() == 1);
        assertThat(deliveries.attempts()).containsExactly(1);
        assertThat(onlyDeadLetter().error()).contains("no such customer: 42");
    }

    private DeadLetter onlyDeadLetter() {
        List<DeadLetter> dead = test.queue().deadLetters(TestQueue.TOPIC).list(0, 10);
        assertThat(dead).hasSize(1);
        return dead.get(0);
    }

    private static ConsumerOptions.Builder options(int maxAttempts) {
        return TestQueue.options().maxAttempts(maxAttempts).backoff(Backoff.fixed(SHORT));
    }
}
