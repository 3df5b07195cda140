package io.delayqueue.internal.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.MessageHandler;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.Settlement;
import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.FailingLog;
import io.delayqueue.testsupport.NewThreads;
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandlerInvokerTests {

    private final NewThreads threads = new NewThreads();
    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final List<Settlement> settled = new CopyOnWriteArrayList<>();
    private final Dispatcher dispatcher = new Dispatcher(timer, null);
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void stop() {
        end.countDown();
        dispatcher.close();
        timer.shutdownNow();
    }

    @Test
    void aMessageWhoseLeaseIsHeldIsHandledAndAcked() throws Exception {
        handle(EngineFixtures.inFlight("held"), ConsumerOptions.defaults(), id -> id);

        assertThat(handled).containsExactly("held");
        assertThat(settled).singleElement().isInstanceOf(Settlement.Ack.class);
    }

    @Test
    void aMessageWhoseLeaseWasOverBeforeItsHandlerBeganIsReleased() throws Exception {
        handle(EngineFixtures.inFlight("stale", Duration.ofMillis(-1)), ConsumerOptions.defaults(), id -> id);

        assertThat(handled).isEmpty();
        assertThat(settled).singleElement().isInstanceOf(Settlement.Release.class);
    }

    @Test
    void aMessageThatWasDecidedBeforeIsNeitherHandledNorSettled() throws Exception {
        InFlightMessage released = EngineFixtures.inFlight("released");
        released.decideUnlessBegun();
        handle(released, ConsumerOptions.defaults(), id -> id);

        assertThat(handled).isEmpty();
        assertThat(settled).isEmpty();
    }

    @Test
    void aHandlerThatTakesTooLongIsInterruptedAndItsAttemptHasFailed() throws Exception {
        ConsumerOptions hasty =
                ConsumerOptions.builder().timeout(Duration.ofMillis(20)).build();
        InFlightMessage slow = EngineFixtures.inFlight("slow");
        assertThat(slow.isInterrupted()).isFalse();
        handle(slow, hasty, id -> {
            try {
                end.await();
                return id;
            } catch (InterruptedException e) {
                return slow.isInterrupted() ? "interrupted, and told so" : "interrupted";
            }
        });

        assertThat(handled).containsExactly("interrupted, and told so");
        Eventually.asserted(() -> assertThat(settled).hasSize(1));
        assertThat(settled)
                .singleElement()
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.type(Settlement.Retry.class))
                .satisfies(retry -> assertThat(retry.cause()).isInstanceOf(TimeoutException.class));
    }

    private void handle(InFlightMessage message, ConsumerOptions options, UnaryOperator<String> handler)
            throws InterruptedException {
        HandlerInvoker invoker = invoker(options, (received, delivery) -> handled.add(handler.apply(received.id())));
        CountDownLatch done = new CountDownLatch(1);
        RecordingOwner owner = new RecordingOwner((taken, slot) -> {
            invoker.handle(taken, slot);
            done.countDown();
        });
        dispatcher.slots(1, owner).accept(List.of(message));
        done.await();
    }

    @Test
    void aTimeoutGetsAnotherAttemptWhateverTheRetryPredicateSays() throws Exception {
        ConsumerOptions hasty = ConsumerOptions.builder()
                .timeout(Duration.ofMillis(20))
                .retryable(error -> false)
                .build();
        handle(EngineFixtures.inFlight("slow"), hasty, id -> {
            try {
                end.await();
                return id;
            } catch (InterruptedException e) {
                return "interrupted";
            }
        });

        Eventually.asserted(() -> assertThat(settled).hasSize(1));
        assertThat(settled)
                .singleElement()
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.type(Settlement.Retry.class))
                .satisfies(retry -> assertThat(retry.delay()).isNotNull());
    }

    @Test
    void whatAnInterruptedHandlerAskedForDoesNotCountIfItFails() throws Exception {
        HandlerInvoker invoker = invoker(ConsumerOptions.defaults(), (received, delivery) -> {
            delivery.deadLetter("broken");
            if (received.id().equals("failed")) {
                throw new IllegalStateException(new InterruptedException());
            }
        });
        invoker.interrupting();
        CountDownLatch done = new CountDownLatch(2);
        RecordingOwner owner = new RecordingOwner((taken, slot) -> {
            invoker.handle(taken, slot);
            done.countDown();
        });

        HandlerSlots slots = dispatcher.slots(1, owner);
        // released, should the machine be slow: then it comes again
        owner.whenReleased(message -> slots.accept(List.of(message)));
        slots.accept(List.of(EngineFixtures.inFlight("failed"), EngineFixtures.inFlight("returned")));
        done.await();

        assertThat(settled).hasSize(2);
        assertThat(settled.get(0)).isInstanceOf(Settlement.Release.class);
        assertThat(settled.get(1)).isInstanceOf(Settlement.Retry.class);
    }

    /** Claims of all topics begin on the timer. */
    @Test
    void theUsersCodeNeverRunsOnTheTimer() throws Exception {
        CompletableFuture<String> thread = new CompletableFuture<>();
        ConsumerOptions hasty = ConsumerOptions.builder()
                .timeout(Duration.ofMillis(20))
                .backoff(attempt -> {
                    thread.complete(Thread.currentThread().getName());
                    return Duration.ZERO;
                })
                .build();
        handle(EngineFixtures.inFlight("slow"), hasty, id -> {
            try {
                end.await();
                return id;
            } catch (InterruptedException e) {
                return "interrupted";
            }
        });

        assertThat(thread.get()).startsWith("delayqueue-worker-");
    }

    @Test
    void aMessageWhoseHandlerCouldNotBeCalledIsReportedAndNoLongerInHandling() throws Exception {
        timer.shutdownNow();
        ConsumerOptions hasty =
                ConsumerOptions.builder().timeout(Duration.ofMinutes(1)).build();
        InFlightMessage message = EngineFixtures.inFlight("a");
        HandlerInvoker invoker = invoker(hasty, (received, delivery) -> handled.add(received.id()));
        RecordingOwner owner = new RecordingOwner(invoker::handle);

        dispatcher.slots(1, owner).accept(List.of(message));

        Eventually.asserted(() -> assertThat(owner.notHandled).containsExactly("a"));
        assertThat(handled).isEmpty();
        assertThat(message.decide()).as("left for the owner to decide").isTrue();
    }

    @Test
    void aHandledMessageIsSettledEvenIfTheLogFails() throws Exception {
        ConsumerOptions once =
                ConsumerOptions.builder().retryable(error -> false).build();
        try (FailingLog log = FailingLog.begin()) {
            handle(EngineFixtures.inFlight("bad"), once, id -> {
                throw new IllegalStateException("failed");
            });
            assertThat(log.failedLines()).isPositive();
        }

        assertThat(settled).singleElement().isInstanceOf(Settlement.Retry.class);
    }

    @Test
    void theStageOfAHandlerDecidesAndNoThreadWaitsForIt() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        InFlightMessage message = EngineFixtures.inFlight("a");
        HandlerSlots slots = asyncSlots(ConsumerOptions.defaults(), stage);
        slots.accept(List.of(message));
        Eventually.asserted(() -> assertThat(handled).containsExactly("a"));
        Eventually.asserted(() -> assertThat(threads.stacks().values())
                .noneMatch(stack -> stack.toString().contains("HandlerInvoker.handle(")));
        assertThat(settled).isEmpty();
        assertThat(slots.capacity().free()).isZero();

        stage.complete("any value");

        Eventually.asserted(() -> assertThat(slots.capacity().free()).isPositive());
        assertThat(settled).singleElement().isInstanceOf(Settlement.Ack.class);
    }

    @Test
    void aStageThatFailsIsAFailedAttemptWithItsOwnError() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<Thread> asked = new CompletableFuture<>();
        HandlerSlots slots = asyncSlots(
                ConsumerOptions.builder()
                        .retryable(error -> asked.complete(Thread.currentThread()))
                        .build(),
                stage.thenApply(value -> value));
        slots.accept(List.of(EngineFixtures.inFlight("a")));
        Eventually.asserted(() -> assertThat(handled).containsExactly("a"));

        stage.completeExceptionally(new java.io.IOException("reset"));

        Eventually.asserted(() -> assertThat(settled)
                .singleElement()
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.type(Settlement.Retry.class))
                .satisfies(retry -> assertThat(retry.cause()).isExactlyInstanceOf(java.io.IOException.class)));
        assertThat(asked.join())
                .as("the thread of the stage serves others")
                .isNotSameAs(Thread.currentThread())
                .extracting(Thread::getName)
                .asString()
                .startsWith("delayqueue-worker-");
    }

    @Test
    void aStageThatTakesTooLongIsCancelledAndItsAttemptHasFailed() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        HandlerSlots slots = asyncSlots(
                ConsumerOptions.builder().timeout(Duration.ofMillis(20)).build(), stage);
        slots.accept(List.of(EngineFixtures.inFlight("a")));

        Eventually.asserted(() -> assertThat(stage).isCancelled());
        Eventually.asserted(() -> assertThat(slots.capacity().free()).isPositive());
        assertThat(settled)
                .singleElement()
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.type(Settlement.Retry.class))
                .satisfies(retry -> assertThat(retry.cause()).isInstanceOf(TimeoutException.class));
        Eventually.asserted(() -> assertThat(slots.abandoned()).isZero());
    }

    @Test
    void aStageThatCannotBeCancelledIsAbandonedUntilItCompletes() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        HandlerSlots slots = asyncSlots(
                ConsumerOptions.builder().timeout(Duration.ofMillis(20)).build(), stage.minimalCompletionStage());
        slots.accept(List.of(EngineFixtures.inFlight("a")));
        Eventually.asserted(() -> assertThat(slots.abandoned()).isEqualTo(1));
        assertThat(settled).hasSize(1);

        stage.complete("late");

        Eventually.asserted(() -> assertThat(slots.abandoned()).isZero());
        assertThat(settled).hasSize(1);
    }

    @Test
    void aHandlerThatReturnsNoStageHasFailed() {
        HandlerSlots slots = asyncSlots(ConsumerOptions.defaults(), null);
        slots.accept(List.of(EngineFixtures.inFlight("a")));

        Eventually.asserted(() -> assertThat(settled)
                .singleElement()
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.type(Settlement.Retry.class))
                .satisfies(retry -> assertThat(retry.error()).contains("must return a stage")));
    }

    private HandlerSlots asyncSlots(ConsumerOptions options, CompletionStage<?> stage) {
        HandlerInvoker invoker = invoker(options, MessageHandler.async((received, delivery) -> {
            handled.add(received.id());
            return stage;
        }));
        return dispatcher.slots(1, new RecordingOwner(invoker::handle));
    }

    private HandlerInvoker invoker(ConsumerOptions options, MessageHandler handler) {
        var context = EngineFixtures.context(store, options, timer, DelayQueueObserver.NONE);
        return new HandlerInvoker(context, handler, new Settlements(context, "me"), settled::add);
    }
}
