package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.BulkScheduleException;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.testsupport.SleepyStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

    @Test
    void callsThatGatherAreAnswered() {
        SleepyStore.Gate gate = new SleepyStore.Gate();
        for (int round = 0; round < 20; round++) {
            SleepyStore another = new SleepyStore();
            another.be("schedule", gate);
            Engine closing = new Engine(another, OPTIONS);
            closing.scheduleAsync(message("first"));
            for (int i = 0; i < 10; i++) {
                closing.scheduleAsync(message("m" + i));
            }
            another.be("schedule", SleepyStore.Mood.AWAKE);
            gate.open();
            // fewer than the last time: they wait for the others
            CompletableFuture<ScheduleResult> gathering = closing.scheduleAsync(message("gathers"));
            closing.close();

            assertThat(gathering).as("in round %s", round).matches(CompletableFuture::isDone);
        }
    }

    @Test
    void callsThatWaitAreToldThatTheyWereNotSent() {
        store.be("schedule", SleepyStore.Mood.SILENT);
        engine.scheduleAsync(message("under way"));
        List<CompletableFuture<ScheduleResult>> waiting = IntStream.range(0, 50)
                .mapToObj(i -> engine.scheduleAsync(message("m" + i)))
                .toList();
        CompletableFuture<List<ScheduleResult>> bulk = engine.scheduleAllAsync(List.of(message("b1"), message("b2")));

        engine.close();

        for (int i = 0; i < waiting.size(); i++) {
            assertThat(waiting.get(i))
                    .failsWithin(1, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(DelayQueueClosedException.class)
                    .withMessageContainingAll("'m" + i + "'", "'orders'", "was not sent", "closed");
        }
        assertThat(bulk)
                .failsWithin(1, TimeUnit.SECONDS)
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
    void callsThatWereSentAreToldThatTheirOutcomeIsUnknown() {
        CompletableFuture<Void> connection = new CompletableFuture<>();
        store.be(new SleepyStore.Mood() {
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
                        .failsWithin(1, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .havingCause()
                        .isInstanceOf(DelayQueueClosedException.class)
                        .withMessageContainingAll("'a'", "'orders'", "may have been"));
    }

    private static OutgoingMessage message(String id) {
        return OutgoingMessage.to("orders").id(id).payload(new byte[0]).build();
    }
}
