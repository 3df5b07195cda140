package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.AsyncOperations;
import io.delayqueue.CancelOutcome;
import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.NewThreads;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A continuation that an application chains to a future may block, and stalls neither Redis' connection nor its neighbours. */
class BlockingContinuationsTests {

    private static final Duration ENOUGH = Duration.ofSeconds(25);

    /** An answer is rarely there before a continuation is chained to it, and never so many in a row. */
    private static final int MOST_CALLS = 1_000;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final NewThreads threads = new NewThreads();
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void endContinuations() {
        end.countDown();
    }

    @Test
    void aContinuationThatBlocksHoldsUpNoOtherCallAndNoConsumer() throws Exception {
        DelayQueueClient queue = test.queue();
        CompletableFuture<Boolean> blocked = blockedAnswer(() -> queue.scheduleAsync(later("first")));
        List<CompletableFuture<ScheduleResult>> neighbours = IntStream.range(0, 200)
                .mapToObj(i -> queue.scheduleAsync(later("neighbour " + i)))
                .toList();
        CompletableFuture<Boolean> alsoBlocked = blockedAnswer(() -> queue.cancelAsync(TestQueue.TOPIC, "neighbour 0"));

        for (CompletableFuture<ScheduleResult> neighbour : neighbours) {
            neighbour.get(25, TimeUnit.SECONDS);
        }
        Deliveries deliveries = new Deliveries(test);
        test.consume(TestQueue.options(), deliveries);
        queue.schedule(TestQueue.message().id("due").build());
        assertThat(deliveries.next().id()).isEqualTo("due");
        test.awaitAcked(1);

        assertThat(blocked).isNotDone();
        assertThat(alsoBlocked).isNotDone();
        end.countDown();
        assertThat(blocked.get(25, TimeUnit.SECONDS)).isTrue();
        assertThat(alsoBlocked.get(25, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aContinuationMayCallTheClientAndWait() throws Exception {
        DelayQueueClient queue = test.queue();

        CompletableFuture<CancelOutcome> cancelled = queue.scheduleAsync(later("a"))
                .thenApply(result -> queue.find(TestQueue.TOPIC, result.id()).orElseThrow())
                .thenApply(found -> queue.cancel(found.topic(), found.id()));

        assertThat(cancelled.get(25, TimeUnit.SECONDS)).isEqualTo(CancelOutcome.CANCELLED);
    }

    /** Each of them would wait for all others, if the answers of their calls came behind them. */
    @Test
    void thousandsOfContinuationsMayEachWaitForACallOfTheirOwn() {
        DelayQueueClient queue = test.queue();

        List<CompletableFuture<CancelOutcome>> cancelled = IntStream.range(0, 3_000)
                .mapToObj(i -> queue.scheduleAsync(later("m" + i))
                        .thenApply(result ->
                                queue.cancelAsync(TestQueue.TOPIC, result.id()).join()))
                .toList();

        assertThat(cancelled)
                .allSatisfy(call -> assertThat(call).succeedsWithin(ENOUGH).isEqualTo(CancelOutcome.CANCELLED));
    }

    /** As frameworks wait: no pool of the JDK adds a thread for these. */
    @Test
    void continuationsMayWaitByLatchesForCallsWithinCalls() {
        DelayQueueClient queue = test.queue();

        List<CompletableFuture<Boolean>> found = IntStream.range(0, 60)
                .mapToObj(i -> queue.scheduleAsync(later("m" + i))
                        .thenApply(result -> awaited(queue.findAsync(TestQueue.TOPIC, result.id())
                                .thenApply(outer -> awaited(queue.findAsync(TestQueue.TOPIC, result.id())
                                        .thenApply(inner -> inner.isPresent() && outer.isPresent()))))))
                .toList();

        assertThat(found)
                .allSatisfy(call -> assertThat(call).succeedsWithin(ENOUGH).isEqualTo(true));
    }

    @Test
    void whenNoThreadIsLeftForAnswersTheirCallsAreRefusedAndNoneHangs() {
        DelayQueueClient queue = test.queue();
        CountDownLatch allTaken = new CountDownLatch(128);
        Thread caller = Thread.currentThread();

        List<CompletableFuture<CancelOutcome>> calls = IntStream.range(0, 400)
                .mapToObj(i -> queue.scheduleAsync(later("m" + i))
                        .thenCompose(result -> queue.findAsync(TestQueue.TOPIC, result.id())
                                .thenApply(found -> {
                                    if (Thread.currentThread() != caller) {
                                        allTaken.countDown();
                                        StopWithSlowHandlersTests.awaitIgnoringInterrupts(allTaken);
                                    }
                                    return queue.cancelAsync(TestQueue.TOPIC, result.id())
                                            .join();
                                })))
                .toList();

        TestQueue.await().until(() -> calls.stream().allMatch(CompletableFuture::isDone));
        List<CompletableFuture<CancelOutcome>> refused = calls.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .toList();
        assertThat(refused)
                .isNotEmpty()
                .allSatisfy(call -> assertThat(call)
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(ClientOverloadedException.class)
                        .withMessageContaining(
                                "128 threads are blocked by continuations that wait for calls of their own"));
        assertThat(test.stats().pending().scheduled())
                .as("messages whose cancel was refused")
                .isEqualTo(refused.size());
    }

    @Test
    void hundredsOfContinuationsThatBlockHaveABoundedNumberOfThreadsAndBlockingCallsGoOn() throws Exception {
        DelayQueueClient queue = test.queue();
        List<CompletableFuture<Boolean>> blocked = IntStream.range(0, 400)
                .mapToObj(i -> blockedAnswer(() -> queue.scheduleAsync(later("m" + i))))
                .toList();

        TestQueue.await().until(() -> completionThreads() == 128);
        assertThat(queue.schedule(later("single")).id()).isEqualTo("single");
        TestQueue.await().until(() -> test.stats().totals().accepted() == 401);

        assertThat(completionThreads()).isEqualTo(128);
        assertThat(blocked).noneMatch(CompletableFuture::isDone);
        end.countDown();
        CompletableFuture.allOf(blocked.toArray(CompletableFuture[]::new)).get(25, TimeUnit.SECONDS);
    }

    @Test
    void futuresOfALibraryCompleteWhileThoseOfTheApplicationBlock() {
        ExecutorService libraries = Executors.newSingleThreadExecutor(work -> new Thread(work, "library"));
        try {
            DelayQueueClient queue = test.open(options -> options.completionExecutor(command -> {
                // all its threads block
            }));
            AsyncOperations library = queue.completingOn(libraries);

            CompletableFuture<ScheduleResult> blocked = queue.scheduleAsync(later("a"));
            CompletableFuture<String> thread = library.scheduleAsync(later("b"))
                    .thenApply(result -> Thread.currentThread().getName());

            assertThat(thread)
                    .succeedsWithin(ENOUGH)
                    .isIn("library", Thread.currentThread().getName());
            assertThat(library.cancelAsync(TestQueue.TOPIC, "b")).succeedsWithin(ENOUGH);
            assertThat(blocked).isNotDone();
        } finally {
            libraries.shutdown();
        }
    }

    @Test
    void answersThatWaitForContinuationsAreBounded() throws Exception {
        DelayQueueClient queue = test.open(options -> options.maxWaitingMessages(20));
        List<CompletableFuture<Boolean>> blocked = new ArrayList<>();
        AtomicReference<CompletableFuture<Boolean>> refused = new AtomicReference<>();
        TestQueue.await().until(() -> {
            Thread caller = Thread.currentThread();
            for (int i = 0; i < 20; i++) {
                CompletableFuture<Boolean> next =
                        queue.findAsync(TestQueue.TOPIC, "a").thenApply(found -> blockedUnlessOn(caller));
                if (next.isCompletedExceptionally()) {
                    refused.set(next);
                } else if (!next.isDone()) {
                    blocked.add(next);
                }
            }
            return refused.get() != null;
        });

        assertThatThrownBy(() -> refused.get().get())
                .hasCauseInstanceOf(ClientOverloadedException.class)
                .hasMessageContaining("20 answered calls wait for a completion thread");
        assertThat(queue.schedule(later("single")).id()).isEqualTo("single");
        end.countDown();
        CompletableFuture.allOf(blocked.toArray(CompletableFuture[]::new)).get(25, TimeUnit.SECONDS);
        assertThat(blocked).hasSizeGreaterThanOrEqualTo(20);
        assertThat(queue.findAsync(TestQueue.TOPIC, "single").get(25, TimeUnit.SECONDS))
                .isPresent();
    }

    @Test
    void futuresCompleteOnTheExecutorOfTheOptions() throws Exception {
        ExecutorService own = Executors.newSingleThreadExecutor(work -> new Thread(work, "own-completions"));
        try {
            DelayQueueClient queue = test.open(options -> options.completionExecutor(own));
            CountDownLatch chained = new CountDownLatch(1);
            own.execute(() -> {
                try {
                    chained.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });

            CompletableFuture<String> thread = queue.scheduleAsync(later("a"))
                    .thenApply(result -> Thread.currentThread().getName());
            chained.countDown();

            assertThat(thread.get(25, TimeUnit.SECONDS)).isEqualTo("own-completions");
            queue.close();
            assertThat(own.isShutdown()).as("it is the user's").isFalse();
        } finally {
            own.shutdown();
        }
    }

    @Test
    void anExecutorThatRefusesLeavesNoFutureIncomplete() throws Exception {
        DelayQueueClient queue = test.open(options -> options.completionExecutor(work -> {
            throw new RejectedExecutionException("full");
        }));

        assertThat(queue.scheduleAsync(later("a")).get(25, TimeUnit.SECONDS).id())
                .isEqualTo("a");
    }

    private long completionThreads() {
        return threads.named("delayqueue-completion-").size();
    }

    private static <T> T awaited(CompletableFuture<T> future) {
        CountDownLatch done = new CountDownLatch(1);
        future.whenComplete((value, error) -> done.countDown());
        StopWithSlowHandlersTests.awaitIgnoringInterrupts(done);
        return future.join();
    }

    /** Calls until an answer comes after its continuation is chained, which then blocks until the end of the test. */
    private CompletableFuture<Boolean> blockedAnswer(Supplier<? extends CompletableFuture<?>> call) {
        Thread caller = Thread.currentThread();
        return Stream.generate(() -> call.get().thenApply(answer -> blockedUnlessOn(caller)))
                .limit(MOST_CALLS)
                .filter(answer -> !answer.isDone())
                .findFirst()
                .orElseThrow(() -> new AssertionError("each answer was there at once"));
    }

    /** An answer that is there already runs the continuation on the caller's thread, which must go on. */
    private boolean blockedUnlessOn(Thread caller) {
        if (Thread.currentThread() == caller) {
            return false;
        }
        StopWithSlowHandlersTests.awaitIgnoringInterrupts(end);
        return true;
    }

    private static OutgoingMessage later(String id) {
        return TestQueue.message().id(id).delay(Duration.ofHours(1)).build();
    }
}
