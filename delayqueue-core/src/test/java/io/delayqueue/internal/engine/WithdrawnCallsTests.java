package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.Gate;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An answer given up before its call was sent withdraws the call; afterwards the call goes on. */
class WithdrawnCallsTests {

    private final SleepyStore store = new SleepyStore();
    private final Gate gate = new Gate();
    private final Engine engine = new Engine(
            store,
            DelayQueueOptions.builder()
                    .completionExecutor(Runnable::run)
                    .topic("orders", TopicOptions.builder().partitions(4).build())
                    .build());

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    /** An asynchronous call. */
    interface Call extends Function<Engine, CompletableFuture<?>> {}

    static Stream<Named<Call>> calls() {
        return Stream.of(
                Named.of("schedule", e -> e.scheduleAsync(message("orders", "a"))),
                Named.of(
                        "scheduleAll",
                        e -> e.scheduleAllAsync(List.of(message("orders", "a"), message("orders", "b")))),
                Named.of("cancel", e -> e.cancelAsync("orders", "a")),
                Named.of("cancelAll", e -> e.cancelAllAsync("orders", List.of("a", "b"))),
                Named.of("reschedule", e -> e.rescheduleAsync("orders", "a", Delay.NONE)),
                Named.of("find", e -> e.findAsync("orders", "a")));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void callGivenUpBeforeItIsSentIsWithdrawn(Call call) {
        store.be("partitions", gate);
        CompletableFuture<?> givenUp = call.apply(engine);
        CompletableFuture<?> other = engine.findAsync("orders", "other");

        assertThat(givenUp.cancel(false)).isTrue();
        gate.open();

        assertThat(givenUp).isCancelled();
        assertThat(other).as("a call that waited for the same answer").isCompleted();
        assertThat(store.calls("find")).extracting(SleepyStore.Call::argument).containsExactly("other");
        for (String method : List.of("schedule", "cancel", "reschedule")) {
            assertThat(store.calls(method)).as(method).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("calls")
    void callGivenUpAfterItWasSentGoesOn(Call call) {
        engine.findAsync("orders", "partitions are known").join();
        store.calls.clear();
        store.be(gate);
        CompletableFuture<?> givenUp = call.apply(engine);
        int sent = store.calls.size();
        assertThat(sent).isPositive();

        assertThat(givenUp.cancel(false)).isTrue();
        store.wakeUp();
        gate.open();

        assertThat(givenUp).isCancelled();
        assertThat(store.calls).hasSize(sent);
    }

    @Test
    void messagesGivenUpWhileAnotherBatchIsUnderWayAreNotSent() {
        store.be("schedule", gate);
        CompletableFuture<ScheduleResult> first = engine.scheduleAsync(message("mails", "first"));
        List<CompletableFuture<ScheduleResult>> singles = IntStream.range(0, 50)
                .mapToObj(i -> engine.scheduleAsync(message("mails", "m" + i)))
                .toList();
        CompletableFuture<List<ScheduleResult>> bulk = engine.scheduleAllAsync(IntStream.range(0, 2000)
                .mapToObj(i -> message("mails", "b" + i))
                .toList());
        CompletableFuture<ScheduleResult> last = engine.scheduleAsync(message("mails", "last"));

        singles.forEach(call -> call.cancel(false));
        bulk.cancel(false);
        store.be("schedule", Mood.AWAKE);
        gate.open();

        assertThat(first).isCompleted();
        assertThat(last.orTimeout(25, java.util.concurrent.TimeUnit.SECONDS)
                        .join()
                        .id())
                .isEqualTo("last");
        assertThat(store.calls("schedule").stream()
                        .flatMap(call -> ((List<?>) call.argument()).stream())
                        .map(message -> ((OutgoingMessage) message).id()))
                .containsExactly("first", "last");
    }

    private static OutgoingMessage message(String topic, String id) {
        return OutgoingMessage.to(topic).id(id).payload(new byte[0]).build();
    }
}
