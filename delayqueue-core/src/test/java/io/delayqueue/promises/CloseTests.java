package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls that are made while the client is closed. */
class CloseTests {

    private static final int THREADS = 4;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Map<String, CompletableFuture<ScheduleResult>> calls = new java.util.concurrent.ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<CompletableFuture<?>> others = new ConcurrentLinkedQueue<>();

    @RepeatedTest(5)
    void everyFutureCompletesAndTellsTheTruth() throws Exception {
        DelayQueueClient closing = test.open(options -> options);
        AtomicInteger made = new AtomicInteger();
        ExecutorService callers = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> running = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            running.add(callers.submit(() -> callUntilClosed(closing, made)));
        }
        // not "made": a call that is counted may be refused when the client closes at this moment
        TestQueue.await().until(() -> calls.size() > 2000);

        closing.close();

        for (Future<?> caller : running) {
            caller.get(25, TimeUnit.SECONDS);
        }
        callers.shutdown();
        for (CompletableFuture<?> call : others) {
            assertThat(failure(call)).isIn(null, DelayQueueClosedException.class);
        }
        Set<String> present = new HashSet<>(test.redis().hkeys(TestQueue.key("messages")));
        for (Map.Entry<String, CompletableFuture<ScheduleResult>> call : calls.entrySet()) {
            Class<?> failure = failure(call.getValue());
            if (failure == null) {
                assertThat(call.getValue().join().outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
                assertThat(present).contains(call.getKey());
            } else {
                assertThat(failure).isEqualTo(DelayQueueClosedException.class);
                if (text(call.getValue()).contains("was not sent")) {
                    assertThat(present).doesNotContain(call.getKey());
                } else {
                    assertThat(text(call.getValue())).contains("may have been carried out");
                }
            }
        }
        assertThat(calls).hasSizeGreaterThan(2000);
    }

    private void callUntilClosed(DelayQueueClient closing, AtomicInteger made) {
        while (true) {
            String id = "m" + made.getAndIncrement();
            try {
                calls.put(id, closing.scheduleAsync(message(id)));
                if (made.get() % 100 == 0) {
                    others.add(closing.scheduleAllAsync(IntStream.range(0, 1000)
                                    .mapToObj(i -> message(id + "-" + i))
                                    .toList())
                            .exceptionally(error -> {
                                throw (DelayQueueException)
                                        FutureErrors.unwrap(error).getCause();
                            }));
                    others.add(closing.cancelAsync(TestQueue.TOPIC, "unknown"));
                    others.add(closing.findAsync(TestQueue.TOPIC, "unknown"));
                }
            } catch (DelayQueueClosedException e) {
                return;
            }
        }
    }

    private static Class<?> failure(CompletableFuture<?> call) throws Exception {
        try {
            call.get(25, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            return FutureErrors.unwrap(e).getClass();
        }
    }

    private static String text(CompletableFuture<?> failed) {
        return failed.handle((value, error) -> FutureErrors.unwrap(error).getMessage())
                .join();
    }

    private static OutgoingMessage message(String id) {
        return TestQueue.message().id(id).delay(Duration.ofHours(1)).build();
    }
}
