package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.testsupport.Gate;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages that wait for Redis are bounded in number and bytes. */
class WaitingMessagesTests {

    private final SleepyStore store = new SleepyStore();
    private final Gate gate = new Gate();
    private Engine engine = engine(DelayQueueOptions.builder().maxWaitingMessages(50));

    WaitingMessagesTests() {
        store.be("schedule", gate);
    }

    private Engine engine(DelayQueueOptions.Builder options) {
        return new Engine(store, options.completionExecutor(Runnable::run).build());
    }

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    @Test
    void asyncCallAboveTheLimitIsRefusedAtOnceWithTopicIdAndLimit() {
        List<CompletableFuture<ScheduleResult>> waiting = fill(50);

        assertThatThrownBy(() -> engine.scheduleAsync(message("one too many")).get())
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(ClientOverloadedException.class, refused -> {
                    assertThat(refused.topic()).isEqualTo("orders");
                    assertThat(refused.id()).isEqualTo("one too many");
                })
                .hasMessageContainingAll(
                        "message 'one too many' to topic 'orders'",
                        "50 of maxWaitingMessages (50)",
                        "nothing was sent");
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void answeredCallsGiveTheirCapacityBack() {
        for (int round = 0; round < 3; round++) {
            List<CompletableFuture<ScheduleResult>> waiting = fill(50);
            openUntilAllAreDone(waiting);
        }
        assertThat(store.calls("schedule").stream()
                        .mapToInt(call -> ((List<?>) call.argument()).size())
                        .sum())
                .isEqualTo(150);
    }

    @Test
    void cancelledCallsGiveTheirCapacityBack() {
        fill(50).forEach(call -> call.cancel(false));

        fill(50);
    }

    @Test
    void failedCallsGiveTheirCapacityBack() {
        store.fallAsleep();
        store.be("schedule", Mood.failing(new IllegalStateException("broken")));
        for (int i = 0; i < 200; i++) {
            assertThat(engine.scheduleAsync(message("m" + i))).isCompletedExceptionally();
        }
        store.be("schedule", gate);

        fill(50);
    }

    @Test
    void blockingCallWaitsForCapacity() throws Exception {
        List<CompletableFuture<ScheduleResult>> waiting = new ArrayList<>(fill(50));
        CompletableFuture<ScheduleResult> blocked =
                CompletableFuture.supplyAsync(() -> engine.schedule(message("blocked")));

        TestQueue.await().until(() -> {
            gate.open();
            return blocked.isDone();
        });

        assertThat(blocked.get().id()).isEqualTo("blocked");
        openUntilAllAreDone(waiting);
    }

    @Test
    void blockingCallWithoutCapacityIsRefusedAtItsDeadline() {
        engine.close();
        engine = engine(DelayQueueOptions.builder().maxWaitingMessages(50).commandTimeout(Duration.ofMillis(50)));
        fill(50);

        assertThatThrownBy(() -> engine.schedule(message("late")))
                .isInstanceOf(ClientOverloadedException.class)
                .hasMessageContainingAll("'late'", "'orders'", "maxWaitingMessages (50)");
    }

    @Test
    void bytesOfPayloadsAndHeadersAreBoundedToo() {
        engine.close();
        engine = engine(DelayQueueOptions.builder().maxWaitingBytes(100_000));
        OutgoingMessage withPayload = message("a", 30_000, 0);
        OutgoingMessage withHeaders = message("b", 0, 30_000);
        engine.scheduleAsync(withPayload);
        engine.scheduleAsync(withHeaders);
        CompletableFuture<ScheduleResult> third = engine.scheduleAsync(message("c", 15_000, 15_000));

        assertThat(third).isNotDone();
        assertThatThrownBy(() -> engine.scheduleAsync(message("d", 10_000, 0)).get())
                .hasCauseInstanceOf(ClientOverloadedException.class)
                .hasMessageContainingAll("'d'", "maxWaitingBytes (100000)");
    }

    @Test
    void bulkLeavesTheCapacityOfSingleCallsAlone() {
        CompletableFuture<List<ScheduleResult>> bulk = engine.scheduleAllAsync(messages("bulk", 1000));
        assertThat(bulk).isNotDone();
        List<CompletableFuture<ScheduleResult>> singles = fill(50);

        assertThatThrownBy(() -> engine.scheduleAllAsync(messages("other", 2)).get())
                .cause()
                .isInstanceOf(ClientOverloadedException.class)
                .hasMessageContainingAll("2 messages, the first to topic 'orders'", "1000 of maxWaitingMessages (50)");
        openUntilAllAreDone(singles);
        openUntilAllAreDone(List.of(bulk));
        assertThat(engine.scheduleAllAsync(messages("other", 2))).isNotCompletedExceptionally();
    }

    private List<CompletableFuture<ScheduleResult>> fill(int count) {
        List<CompletableFuture<ScheduleResult>> calls =
                messages("m", count).stream().map(engine::scheduleAsync).toList();
        assertThat(calls).noneMatch(CompletableFuture::isDone);
        return calls;
    }

    private void openUntilAllAreDone(List<? extends CompletableFuture<?>> calls) {
        TestQueue.await().until(() -> {
            gate.open();
            return calls.stream().allMatch(CompletableFuture::isDone);
        });
        assertThat(calls).noneMatch(CompletableFuture::isCompletedExceptionally);
    }

    private static List<OutgoingMessage> messages(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> message(name + i)).toList();
    }

    private static OutgoingMessage message(String id) {
        return message(id, 1, 0);
    }

    private static OutgoingMessage message(String id, int payload, int header) {
        OutgoingMessage.Builder message = OutgoingMessage.to("orders").id(id).payload(new byte[payload]);
        return header == 0
                ? message.build()
                : message.header("h", "x".repeat(header)).build();
    }
}
