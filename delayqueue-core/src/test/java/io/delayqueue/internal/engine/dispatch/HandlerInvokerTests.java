package io.delayqueue.internal.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.Settlement;
import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandlerInvokerTests {

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
        handle(EngineFixtures.inFlight("slow"), hasty, id -> {
            try {
                end.await();
                return id;
            } catch (InterruptedException e) {
                return "interrupted";
            }
        });

        assertThat(handled).containsExactly("interrupted");
        Eventually.asserted(() -> assertThat(settled).hasSize(1));
        assertThat(settled)
                .singleElement()
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.type(Settlement.Retry.class))
                .satisfies(retry -> assertThat(retry.cause()).isInstanceOf(TimeoutException.class));
    }

    private void handle(InFlightMessage message, ConsumerOptions options, UnaryOperator<String> handler)
            throws InterruptedException {
        var context = EngineFixtures.context(
                store,
                options,
                timer,
                DelayQueueObserver.NONE,
                (received, delivery) -> handled.add(handler.apply(received.id())));
        HandlerInvoker invoker = new HandlerInvoker(context, new Settlements(context, "me"), settled::add);
        CountDownLatch done = new CountDownLatch(1);
        RecordingOwner owner = new RecordingOwner((taken, slot) -> {
            invoker.handle(taken, slot);
            done.countDown();
        });
        dispatcher.slots(1, owner).accept(List.of(message));
        done.await();
    }

    /** Claims of all topics begin on the timer. */
    @Test
    void theUsersCodeNeverRunsOnTheTimer() throws Exception {
        CompletableFuture<String> thread = new CompletableFuture<>();
        ConsumerOptions hasty = ConsumerOptions.builder()
                .timeout(Duration.ofMillis(20))
                .retryable(error -> {
                    thread.complete(Thread.currentThread().getName());
                    return true;
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
}
