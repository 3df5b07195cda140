package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.BulkScheduleException;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.testsupport.Gate;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Calls that wait when the client is closed. */
class EngineCloseTests {

    private static final DelayQueueOptions OPTIONS =
            DelayQueueOptions.builder().completionExecutor(Runnable::run).build();

    private final SleepyStore store = new SleepyStore();
    private final Engine engine = new Engine(store, OPTIONS);

    /** Calls that gather are sent by the timer, which is busy here: they gather until the end. */
    @Test
    void callsThatGatherAreAnswered() throws Exception {
        CountDownLatch timerIsBusy = new CountDownLatch(1);
        CountDownLatch timerMayGoOn = new CountDownLatch(1);
        gather("busy", () -> {
            timerIsBusy.countDown();
            awaitUninterrupted(timerMayGoOn);
        });
        assertThat(timerIsBusy.await(20, TimeUnit.SECONDS)).isTrue();
        try {
            List<CompletableFuture<ScheduleResult>> gathering = gather("orders", () -> {});
            assertThat(gathering).noneMatch(CompletableFuture::isDone);

            engine.close();

            assertThat(gathering)
                    .allSatisfy(call -> assertThat(call)
                            .failsWithin(25, TimeUnit.SECONDS)
                            .withThrowableThat()
                            .havingCause()
                            .isInstanceOf(DelayQueueClosedException.class)
                            .withMessageContainingAll("'orders'", "was not sent", "closed"));
            assertThat(store.calls("schedule")).hasSize(3);
        } finally {
            timerMayGoOn.countDown();
        }
    }

    /** Returns calls that gather: fewer than were sent or waited the last time. */
    private List<CompletableFuture<ScheduleResult>> gather(String topic, Runnable onSend) {
        Gate gate = new Gate();
        store.be("schedule", gate);
        engine.scheduleAsync(message(topic, "first"));
        List<CompletableFuture<ScheduleResult>> calls = IntStream.range(0, 10)
                .mapToObj(i -> engine.scheduleAsync(message(topic, "m" + i)))
                .toList();
        store.be("schedule", new Mood() {
            @Override
            public <T> CompletableFuture<T> answer(Supplier<T> usual) {
                onSend.run();
                return CompletableFuture.completedFuture(usual.get());
            }
        });
        gate.open();
        return calls;
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        for (boolean waiting = true; waiting; ) {
            try {
                latch.await();
                waiting = false;
            } catch (InterruptedException closing) {
                // the engine ends its timer
            }
        }
    }

    @Test
    void callsThatWaitFailAsNotSent() {
        store.be("schedule", Mood.SILENT);
        engine.scheduleAsync(message("under way"));
        List<CompletableFuture<ScheduleResult>> waiting = IntStream.range(0, 50)
                .mapToObj(i -> engine.scheduleAsync(message("m" + i)))
                .toList();
        CompletableFuture<List<ScheduleResult>> bulk = engine.scheduleAllAsync(List.of(message("b1"), message("b2")));

        engine.close();

        for (int i = 0; i < waiting.size(); i++) {
            assertThat(waiting.get(i))
                    .failsWithin(25, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(DelayQueueClosedException.class)
                    .withMessageContainingAll("'m" + i + "'", "'orders'", "was not sent", "closed");
        }
        assertThat(bulk)
                .failsWithin(25, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        BulkScheduleException.class,
                        failure -> assertThat(failure.entries())
                                .hasSize(2)
                                .allSatisfy(entry ->
                                        assertThat(entry.error()).isInstanceOf(DelayQueueClosedException.class)));
    }

    @Test
    void callsThatWereSentFailWithAnUnknownOutcome() {
        CompletableFuture<Void> connection = new CompletableFuture<>();
        store.be(new Mood() {
            @Override
            public <T> CompletableFuture<T> answer(Supplier<T> usual) {
                return connection.thenApply(closed -> usual.get());
            }
        });
        List<CompletableFuture<?>> sent = List.of(
                engine.scheduleAsync(message("a")),
                engine.cancelAsync("orders", "a"),
                engine.rescheduleAsync("orders", "a", Delay.NONE),
                engine.findAsync("orders", "a"));

        engine.close();
        connection.completeExceptionally(new RedisUnavailableException("connection closed", null, null, null));

        assertThat(sent)
                .allSatisfy(call -> assertThat(call)
                        .failsWithin(25, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .havingCause()
                        .isInstanceOf(DelayQueueClosedException.class)
                        .withMessageContainingAll("'a'", "'orders'", "may have been"));
    }

    private static OutgoingMessage message(String id) {
        return message("orders", id);
    }

    private static OutgoingMessage message(String topic, String id) {
        return OutgoingMessage.to(topic).id(id).payload(new byte[0]).build();
    }
}
