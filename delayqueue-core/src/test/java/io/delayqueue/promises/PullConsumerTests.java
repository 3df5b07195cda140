package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageInfo;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.TopicOptions;
import io.delayqueue.WakeUp;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A pull consumer gets messages when they are due, and waits for them without a thread. */
class PullConsumerTests {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration NONE = Duration.ZERO;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void aDueMessageIsReceivedWithAllThatItsSenderGave() {
        PullConsumer pull = pull();
        test.queue()
                .schedule(TestQueue.message()
                        .id("a")
                        .header("colour", "red")
                        .priority(7)
                        .maxAttempts(5)
                        .build());

        List<PulledMessage> received = pull.receive(10, LONG);

        assertThat(received).hasSize(1);
        ReceivedMessage message = received.get(0).message();
        assertThat(message.topic()).isEqualTo(TestQueue.TOPIC);
        assertThat(message.id()).isEqualTo("a");
        assertThat(message.payload()).isEqualTo(TestQueue.bytes("payload"));
        assertThat(message.headers()).containsEntry("colour", "red");
        assertThat(message.attempt()).isEqualTo(1);
        assertThat(message.maxAttempts()).isEqualTo(5);
        assertThat(message.priority()).isEqualTo(7);
        assertThat(received.get(0).receipt().topic()).isEqualTo(TestQueue.TOPIC);
        assertThat(received.get(0).receipt().messageId()).isEqualTo("a");
        assertThat(test.stats().inFlight()).isEqualTo(1);
    }

    @Test
    void aReceivedMessageTellsNoMoreOfItsLeaseThanIsLeft() {
        test.queue().schedule(TestQueue.message().id("a").build());
        PulledMessage received = pull().receive(1, LONG).get(0);

        MessageInfo inRedis = test.queue().find(TestQueue.TOPIC, "a").orElseThrow();
        Duration left = received.leaseLeft();

        assertThat(left)
                .isGreaterThan(options().lease().dividedBy(2))
                .isLessThanOrEqualTo(Duration.between(inRedis.time(), inRedis.leaseDeadline()));
    }

    @Test
    void aCallThatDoesNotWaitGetsWhatIsDueNow() {
        PullConsumer pull = pull();
        assertThat(pull.receive(10, NONE)).isEmpty();
        test.scheduleMany(3);

        assertThat(ids(pull.receive(2, NONE))).hasSize(2);
        assertThat(ids(pull.receive(2, NONE))).hasSize(1);
        assertThat(pull.receive(2, NONE)).isEmpty();
    }

    @Test
    void aCallThatDoesNotWaitGetsWhatWasDueBeforeThePullConsumerWasMade() {
        test.scheduleMany(3);

        assertThat(pull().receive(10, NONE)).hasSize(3);
    }

    @Test
    void theAnswerIsEmptyAfterTheWait() {
        PullConsumer pull = pull();
        long begin = System.nanoTime();

        assertThat(pull.receive(1, Duration.ofMillis(300))).isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
    }

    @Test
    void aMessageIsNeverReceivedBeforeItIsDue() {
        PullConsumer pull = pull();
        test.queue()
                .scheduleAll(IntStream.range(0, 200)
                        .mapToObj(i -> TestQueue.message()
                                .delay(Duration.ofMillis(50 + 7L * (i % 100)))
                                .build())
                        .toList());
        int received = 0;
        while (received < 200) {
            List<PulledMessage> messages = pull.receive(7, LONG);
            Instant now = test.now();
            assertThat(messages)
                    .isNotEmpty()
                    .allSatisfy(pulled ->
                            assertThat(now).isAfterOrEqualTo(pulled.message().due()));
            messages.forEach(pulled -> assertThat(pull.ack(pulled.receipt())).isTrue());
            received += messages.size();
        }
        test.awaitDrained();
    }

    /** The guard interval is an hour. */
    @Test
    void aCallThatWaitsIsWokenByAMessageThatComesMeanwhile() {
        CompletableFuture<List<PulledMessage>> waiting = pull().receiveAsync(10, LONG);
        assertThat(waiting).isNotDone();

        test.schedule("now");

        assertThat(ids(waiting.orTimeout(20, TimeUnit.SECONDS).join())).containsExactly("now");
    }

    @Test
    void callsAreAnsweredInTheOrderInWhichTheyCame() {
        PullConsumer pull = pull();
        List<CompletableFuture<List<PulledMessage>>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            calls.add(pull.receiveAsync(1, LONG));
        }
        for (int i = 0; i < 20; i++) {
            test.schedule("m" + i);
            assertThat(ids(calls.get(i).orTimeout(20, TimeUnit.SECONDS).join())).containsExactly("m" + i);
            assertThat(calls.stream().filter(CompletableFuture::isDone)).hasSize(i + 1);
        }
    }

    @Test
    void aBacklogFillsOneCallAfterTheOther() {
        test.scheduleMany(25);
        PullConsumer pull = pull();

        List<Integer> sizes =
                Stream.generate(() -> pull.receive(10, NONE).size()).limit(4).toList();

        assertThat(sizes).containsExactly(10, 10, 5, 0);
    }

    @Test
    void messagesOfAllPartitionsAreReceived() {
        PullConsumer pull = test.open(options -> options.topic(
                        TestQueue.TOPIC, TopicOptions.builder().partitions(5).build()))
                .pullConsumer(TestQueue.TOPIC, options());
        CompletableFuture<List<PulledMessage>> waiting = pull.receiveAsync(512, LONG);
        test.open(options -> options.topic(
                        TestQueue.TOPIC, TopicOptions.builder().partitions(5).build()))
                .scheduleAll(IntStream.range(0, 100)
                        .mapToObj(i -> TestQueue.message().id("m" + i).build())
                        .toList());
        List<String> received =
                new ArrayList<>(ids(waiting.orTimeout(20, TimeUnit.SECONDS).join()));
        while (received.size() < 100) {
            received.addAll(ids(pull.receive(512, Duration.ofSeconds(20))));
        }
        assertThat(received).hasSize(100).doesNotHaveDuplicates();
    }

    @Test
    void aCallThatDoesNotWaitAsksEveryPartition() {
        DelayQueueOptionsOf five = options -> options.topic(
                TestQueue.TOPIC, TopicOptions.builder().partitions(5).build());
        PullConsumer pull = test.open(five::of).pullConsumer(TestQueue.TOPIC, options());
        assertThat(pull.receive(1, NONE)).isEmpty();
        for (int i = 0; i < 30; i++) {
            String id = "m" + i;
            test.open(five::of).schedule(TestQueue.message().id(id).build());
            long begun = System.nanoTime();
            List<String> received = ids(pull.receive(1, NONE));
            boolean slow = System.nanoTime() - begun >= TimeUnit.MILLISECONDS.toNanos(100);
            if (received.isEmpty() && slow) {
                // left to the next call
                received = ids(pull.receive(1, Duration.ofSeconds(20)));
            }
            assertThat(received).as("call %s", i).containsExactly(id);
        }
    }

    private interface DelayQueueOptionsOf {
        DelayQueueOptions.Builder of(DelayQueueOptions.Builder options);
    }

    @Test
    void aCallThatIsCancelledReceivesNothing() {
        PullConsumer pull = pull();
        CompletableFuture<List<PulledMessage>> cancelled = pull.receiveAsync(1, LONG);
        CompletableFuture<List<PulledMessage>> next = pull.receiveAsync(1, LONG);

        cancelled.cancel(false);
        test.schedule("a");

        assertThat(ids(next.orTimeout(20, TimeUnit.SECONDS).join())).containsExactly("a");
        assertThat(next.join().get(0).message().attempt()).isEqualTo(1);
    }

    /** However close the cancellation is to the answer. */
    @Test
    void noMessageIsLostToCallsThatAreCancelled() {
        PullConsumer pull = pull();
        int count = 300;
        for (int i = 0; i < count; i++) {
            CompletableFuture<List<PulledMessage>> call = pull.receiveAsync(3, LONG);
            test.queue().scheduleAsync(TestQueue.message().id("m" + i).build());
            if (i % 3 == 0) {
                Thread.onSpinWait();
            } else if (i % 3 == 1) {
                test.redis().ping();
            }
            if (!call.cancel(false)) {
                call.join().forEach(pulled -> pull.release(pulled.receipt()));
            }
        }
        List<String> received = new ArrayList<>();
        while (received.size() < count) {
            List<PulledMessage> messages = pull.receive(100, Duration.ofSeconds(20));
            assertThat(messages).as("after %s", received.size()).isNotEmpty();
            messages.forEach(pulled -> {
                assertThat(pulled.message().attempt()).isEqualTo(1);
                assertThat(pull.ack(pulled.receipt())).isTrue();
                received.add(pulled.message().id());
            });
        }
        assertThat(received).doesNotHaveDuplicates();
        test.awaitDrained();
    }

    @Test
    void anInterruptEndsTheWaitWithoutMessages() throws Exception {
        PullConsumer pull = pull();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            List<PulledMessage> messages = pull.receive(1, LONG);
            interrupted.complete(messages.isEmpty() && Thread.currentThread().isInterrupted());
        });
        waiting.start();
        TestQueue.await().until(() -> waiting.getState() == Thread.State.WAITING);

        waiting.interrupt();

        assertThat(interrupted.orTimeout(20, TimeUnit.SECONDS).join()).isTrue();
        test.schedule("a");
        assertThat(ids(pull.receive(1, LONG))).containsExactly("a");
    }

    @Test
    void aCallTooManyIsRefused() {
        PullConsumer pull = test.queue()
                .pullConsumer(
                        TestQueue.TOPIC, PullOptions.builder().maxWaiting(2).build());
        CompletableFuture<List<PulledMessage>> first = pull.receiveAsync(1, LONG);
        pull.receiveAsync(1, LONG);

        assertThatThrownBy(() -> pull.receive(1, LONG))
                .isInstanceOf(ClientOverloadedException.class)
                .hasMessageContaining("2 calls wait for messages of topic 'orders'");
        first.cancel(false);
        assertThat(pull.receiveAsync(1, LONG)).isNotDone();
    }

    @Test
    void aThousandCallsThatWaitHaveNoThreadEach() {
        PullConsumer pull = pull();
        pull.receive(1, NONE);
        int threads = Thread.activeCount();
        List<CompletableFuture<List<PulledMessage>>> calls =
                Stream.generate(() -> pull.receiveAsync(1, LONG)).limit(1000).toList();

        assertThat(Thread.activeCount()).isLessThan(threads + 10);
        test.scheduleMany(1000);
        List<String> received = calls.stream()
                .flatMap(call -> ids(call.orTimeout(20, TimeUnit.SECONDS).join()).stream())
                .toList();
        assertThat(received).hasSize(1000).doesNotHaveDuplicates();
    }

    @Test
    void nothingIsReceivedFromAPausedTopicUntilItIsResumed() {
        PullConsumer pull = pull();
        test.queue().pause(TestQueue.TOPIC);
        test.schedule("a");
        assertThat(pull.receive(1, Duration.ofMillis(100))).isEmpty();
        CompletableFuture<List<PulledMessage>> waiting = pull.receiveAsync(1, LONG);

        test.queue().resume(TestQueue.TOPIC);

        assertThat(ids(waiting.orTimeout(20, TimeUnit.SECONDS).join())).containsExactly("a");
    }

    @Test
    void withoutWakeUpsFromRedisItHearsOfItsOwnProcess() {
        var queue = test.open(options -> options.wakeUp(WakeUp.POLL));
        PullConsumer pull = queue.pullConsumer(TestQueue.TOPIC, options());
        CompletableFuture<List<PulledMessage>> waiting = pull.receiveAsync(1, LONG);
        queue.schedule(TestQueue.message().id("a").build());
        PulledMessage a = waiting.orTimeout(20, TimeUnit.SECONDS).join().get(0);

        CompletableFuture<List<PulledMessage>> next = pull.receiveAsync(1, LONG);
        pull.release(a.receipt());
        a = next.orTimeout(20, TimeUnit.SECONDS).join().get(0);

        next = pull.receiveAsync(1, LONG);
        pull.retry(a.receipt(), Duration.ofMillis(50), "once more");
        assertThat(ids(next.orTimeout(20, TimeUnit.SECONDS).join())).containsExactly("a");
    }

    @Test
    void wrongArgumentsAreRefusedBeforeAnythingIsSent() {
        PullConsumer pull = pull();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> pull.receive(0, NONE))
                .withMessageContaining("max");
        assertThatIllegalArgumentException().isThrownBy(() -> pull.receive(513, NONE));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pull.receive(1, Duration.ofMillis(-1)))
                .withMessageContaining("wait");
        assertThatIllegalArgumentException().isThrownBy(() -> pull.receive(1, Duration.ofDays(2)));
        assertThatIllegalArgumentException().isThrownBy(() -> test.queue().pullConsumer("a b", options()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PullOptions.builder().maxWaiting(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PullOptions.builder().lease(Duration.ofMillis(99)))
                .withMessageContaining("lease");
        assertThat(test.redis().keys("*")).isSubsetOf("dq:topics");
    }

    @Test
    void aClosedOneAnswersTheCallsThatWaitAndRefusesOthers() {
        PullConsumer pull = pull();
        CompletableFuture<List<PulledMessage>> waiting = pull.receiveAsync(1, LONG);

        pull.close();
        pull.close();

        assertThat(waiting.orTimeout(20, TimeUnit.SECONDS).join()).isEmpty();
        assertThatThrownBy(() -> pull.receive(1, NONE))
                .isInstanceOf(DelayQueueClosedException.class)
                .hasMessageContaining("the pull consumer of topic 'orders' is closed");
    }

    @Test
    void aClosedClientAnswersTheCallsThatWaitAndLeavesNothingClaimed() {
        var queue = test.open(options -> options);
        PullConsumer pull = queue.pullConsumer(TestQueue.TOPIC, options());
        List<CompletableFuture<List<PulledMessage>>> calls =
                Stream.generate(() -> pull.receiveAsync(5, LONG)).limit(10).toList();
        test.queue()
                .scheduleAll(IntStream.range(0, 100)
                        .mapToObj(i -> TestQueue.message()
                                .delay(Duration.ofMillis(200 + i))
                                .build())
                        .toList());
        TestQueue.await().until(() -> calls.get(0).isDone());

        queue.close();

        int received = calls.stream()
                .mapToInt(call -> call.orTimeout(20, TimeUnit.SECONDS).join().size())
                .sum();
        assertThat(test.stats().inFlight()).isEqualTo(received);
        assertThatThrownBy(() -> pull.receive(1, NONE)).isInstanceOf(DelayQueueClosedException.class);
    }

    private PullConsumer pull() {
        return test.queue().pullConsumer(TestQueue.TOPIC, options());
    }

    static PullOptions options() {
        return PullOptions.builder().lease(Duration.ofMinutes(1)).build();
    }

    static List<String> ids(List<PulledMessage> messages) {
        return messages.stream().map(pulled -> pulled.message().id()).toList();
    }
}
