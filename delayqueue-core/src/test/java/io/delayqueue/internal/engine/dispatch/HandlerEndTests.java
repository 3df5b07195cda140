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
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a handler runs no more: while it does, it may be what kills the process. */
class HandlerEndTests {

    private static final int MANY = 10;
    private static final ConsumerOptions HASTY =
            ConsumerOptions.builder().timeout(Duration.ofMillis(20)).build();

    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final Dispatcher dispatcher = new Dispatcher(timer, null);
    private final List<Settlement> settled = new CopyOnWriteArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void stop() {
        end.countDown();
        dispatcher.close();
        timer.shutdownNow();
    }

    @Test
    void handlersThatIgnoreTheirTimeoutHaveNotEndedUntilTheyReturn() {
        RecordingOwner owner = owner(HASTY, (received, delivery) -> awaitIgnoringInterrupts(end), settled::add);

        dispatcher.slots(MANY, owner).accept(many());

        Eventually.asserted(() -> assertThat(settled).hasSize(MANY));
        assertThat(owner.ended).hasValue(0);
        end.countDown();
        Eventually.asserted(() -> assertThat(owner.ended).hasValue(MANY));
    }

    @Test
    void stagesThatCannotBeCancelledHaveNotEndedUntilTheyComplete() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        MessageHandler handler = MessageHandler.async((received, delivery) -> stage.minimalCompletionStage());
        RecordingOwner owner = owner(HASTY, handler, settled::add);

        dispatcher.slots(MANY, owner).accept(many());

        Eventually.asserted(() -> assertThat(settled).hasSize(MANY));
        assertThat(owner.ended).hasValue(0);
        stage.complete("late");
        Eventually.asserted(() -> assertThat(owner.ended).hasValue(MANY));
    }

    /** A suspect that comes after it is alone. */
    @Test
    void aHandlerHasEndedOnceAndBeforeItsMessageIsSettled() {
        List<RecordingOwner> owners = new CopyOnWriteArrayList<>();
        List<Integer> endedBefore = new CopyOnWriteArrayList<>();
        owners.add(owner(ConsumerOptions.defaults(), (received, delivery) -> {}, settlement -> {
            endedBefore.add(owners.get(0).ended.get());
            settled.add(settlement);
        }));
        HandlerSlots slots = dispatcher.slots(1, owners.get(0));
        // released, should the machine be slow: then it comes again
        owners.get(0).whenReleased(message -> slots.accept(List.of(message)));

        slots.accept(many());

        Eventually.asserted(() -> assertThat(settled).hasSize(MANY));
        Eventually.asserted(() -> assertThat(slots.capacity().free()).isPositive());
        assertThat(endedBefore)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, MANY).boxed().toList());
        assertThat(owners.get(0).ended).hasValue(MANY);
    }

    @Test
    void messagesWhoseHandlersWereNeverCalledCountAsEnded() {
        RecordingOwner owner = new RecordingOwner((message, slot) -> {
            throw new IllegalStateException("pretended");
        });

        dispatcher.slots(MANY, owner).accept(many());

        Eventually.asserted(() -> assertThat(owner.ended).hasValue(MANY));
        assertThat(owner.notHandled).hasSize(MANY);
    }

    private static List<InFlightMessage> many() {
        return IntStream.range(0, MANY)
                .mapToObj(i -> EngineFixtures.inFlight("m" + i))
                .toList();
    }

    private RecordingOwner owner(ConsumerOptions options, MessageHandler handler, Consumer<Settlement> settle) {
        var context = EngineFixtures.context(new SleepyStore(), options, timer, DelayQueueObserver.NONE);
        return new RecordingOwner(new HandlerInvoker(context, handler, new Settlements(context, "me"), settle)::handle);
    }

    private static void awaitIgnoringInterrupts(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // goes on
            }
        }
    }
}
