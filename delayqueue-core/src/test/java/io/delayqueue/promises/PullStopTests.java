package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullConsumer;
import io.delayqueue.PulledMessage;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A rolling restart of pull consumers: only received messages wait for their leases, and no attempt is counted. */
class PullStopTests {

    private static final Duration LONG = Duration.ofMinutes(5);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @RepeatedTest(3)
    void whatWasNotReceivedIsThereForTheNextOneAtOnce() {
        int count = 500;
        PullConsumer former = test.open(options -> options).pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        List<CompletableFuture<List<PulledMessage>>> calls =
                Stream.generate(() -> former.receiveAsync(1, LONG)).limit(400).toList();
        test.queue()
                .scheduleAll(IntStream.range(0, count)
                        .mapToObj(i -> TestQueue.message()
                                .id("m" + i)
                                .delay(Duration.ofMillis(300 + i / 5))
                                .build())
                        .toList());
        TestQueue.await()
                .until(() -> calls.stream().filter(CompletableFuture::isDone).count() > 10);

        former.close();

        Set<String> received = new HashSet<>();
        calls.forEach(call -> received.addAll(
                PullConsumerTests.ids(call.orTimeout(20, TimeUnit.SECONDS).join())));
        assertThat(test.stats().inFlight()).isEqualTo(received.size());
        PullConsumer next = test.queue().pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        List<PulledMessage> rest = new ArrayList<>();
        while (received.size() + rest.size() < count) {
            List<PulledMessage> more = next.receive(100, Duration.ofSeconds(20));
            assertThat(more).as("after %s and %s", received.size(), rest.size()).isNotEmpty();
            rest.addAll(more);
        }
        assertThat(rest)
                .allSatisfy(pulled -> assertThat(pulled.message().attempt()).isEqualTo(1));
        assertThat(PullConsumerTests.ids(rest)).doesNotContainAnyElementsOf(received);
    }

    @Test
    void settlementsUnderWayAreDoneBeforeTheClientCloses() {
        DelayQueueClient queue = test.open(options -> options);
        PullConsumer pull = queue.pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        test.scheduleMany(500);
        List<PulledMessage> received = new ArrayList<>();
        while (received.size() < 500) {
            received.addAll(pull.receive(500, LONG));
        }
        List<CompletableFuture<Boolean>> answers =
                received.stream().map(pulled -> pull.ackAsync(pulled.receipt())).toList();

        queue.close();

        assertThat(test.stats().totals().acked()).isEqualTo(500);
        assertThat(answers)
                .allSatisfy(answer -> assertThat(
                                answer.orTimeout(20, TimeUnit.SECONDS).join())
                        .isTrue());
        test.awaitDrained();
    }

    /** Such as while continuations of other futures block. */
    @Test
    void anAnswerThatComesAfterTheEndHasNoMessages() {
        Queue<Runnable> completions = new ConcurrentLinkedQueue<>();
        PullConsumer pull = test.open(options -> options.completionExecutor(completions::add))
                .pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        CompletableFuture<List<PulledMessage>> call = pull.receiveAsync(1, LONG);
        test.schedule("a");
        TestQueue.await().until(() -> completions.size() == 1);

        pull.close();

        assertThat(test.stats().inFlight()).isZero();
        completions.forEach(Runnable::run);
        assertThat(call.join()).isEmpty();
        PullConsumer next = test.queue().pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        assertThat(next.receive(1, LONG).get(0).message().attempt()).isEqualTo(1);
    }

    @Test
    void thePullConsumerLeavesNoTraceInRedis() {
        PullConsumer pull = test.open(options -> options).pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        test.schedule("a");
        PulledMessage a = pull.receive(1, LONG).get(0);
        pull.extend(a.receipt(), Duration.ofMinutes(2));
        pull.release(a.receipt());
        PulledMessage again = pull.receive(1, LONG).get(0);
        pull.retry(again.receipt(), Duration.ZERO, "once");
        PulledMessage last = pull.receive(1, LONG).get(0);
        pull.ack(last.receipt());

        pull.close();

        assertThat(test.redis().hgetall(TestQueue.key("meta")).keySet()).noneMatch(field -> field.contains(":"));
        test.awaitDrained();
    }
}
