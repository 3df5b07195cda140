package io.delayqueue.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.spring.testsupport.NoResources;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Continuations of futures of transactions may block and wait for calls, in the same bounds as those of other futures. */
@ExtendWith(EmbeddedRedisExtension.class)
class ContinuationsInTransactionsTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofSeconds(20);

    private final TransactionTemplate transaction = new TransactionTemplate(new NoResources());
    private final CountDownLatch end = new CountDownLatch(1);
    private final RedisClient redis;
    private DelayQueueClient client;
    private DelayQueueTemplate template;

    ContinuationsInTransactionsTests(EmbeddedRedis server) {
        redis = RedisClient.create(server.uri());
        open(DelayQueueOptions.builder().commandTimeout(SOON).build());
    }

    private void open(DelayQueueOptions options) {
        client = DelayQueueClient.create(redis, options);
        template = new DelayQueueTemplate(client, new JsonPayloadConverter(new JsonMapper()), List.of())
                .transactionAware();
    }

    @AfterEach
    void close() {
        end.countDown();
        template.stop();
        client.close();
        redis.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    @Test
    void thoseThatBlockHoldUpNoAnswerThatAnotherContinuationWaitsFor() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(127);
        CompletableFuture<Boolean> found = client.scheduleAsync(message("first"))
                .thenApply(result -> {
                    begun.countDown();
                    awaitQuietly(blocked);
                    return client.findAsync("orders", "first").join().isPresent();
                });
        awaitQuietly(begun);
        List<CompletableFuture<Boolean>> others = IntStream.range(0, 127)
                .mapToObj(i -> scheduledInTransaction("m" + i, result -> {
                    blocked.countDown();
                    return awaitQuietly(end);
                }))
                .toList();

        assertThat(found).succeedsWithin(SOON).isEqualTo(true);
        assertThat(others).as("still blocked").noneMatch(CompletableFuture::isDone);
    }

    @Test
    void hundredsMayEachRunATransactionAndWaitForItsFuture() {
        CountDownLatch first = new CountDownLatch(128);
        List<CompletableFuture<String>> ids = IntStream.range(0, 300)
                .mapToObj(i -> scheduledInTransaction("m" + i, result -> {
                    first.countDown();
                    awaitQuietly(first);
                    return scheduledInTransaction("then" + i).join().id();
                }))
                .toList();

        assertThat(CompletableFuture.allOf(ids.toArray(CompletableFuture[]::new)))
                .succeedsWithin(SOON);
        assertThat(client.stats("orders").totals().accepted()).isEqualTo(600);
    }

    @Test
    void callsForWhoseAnswersNoThreadIsLeftAreRefusedAndTheirTransactionsRolledBack() {
        CountDownLatch allTaken = new CountDownLatch(128);
        List<CompletableFuture<String>> ids = IntStream.range(0, 300)
                .mapToObj(i -> scheduledInTransaction(
                                "m" + i,
                                first -> scheduledInTransaction("then" + i, second -> {
                                    allTaken.countDown();
                                    awaitQuietly(allTaken);
                                    return scheduledInTransaction("last" + i)
                                            .join()
                                            .id();
                                }))
                        .thenCompose(Function.identity()))
                .toList();

        await().atMost(SOON).until(() -> ids.stream().allMatch(CompletableFuture::isDone));
        List<CompletableFuture<String>> refused =
                ids.stream().filter(CompletableFuture::isCompletedExceptionally).toList();
        assertThat(refused)
                .isNotEmpty()
                .allSatisfy(id -> assertThat(id)
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(ClientOverloadedException.class));
        assertThat(client.stats("orders").totals().accepted()).isEqualTo(900 - refused.size());
    }

    @Test
    void answersThatWaitForThemAreBounded() {
        client.close();
        Queue<Runnable> completions = new ConcurrentLinkedQueue<>();
        open(DelayQueueOptions.builder()
                .commandTimeout(SOON)
                .maxWaitingMessages(20)
                .completionExecutor(completions::add)
                .build());
        List<CompletableFuture<ScheduleResult>> waiting = IntStream.range(0, 20)
                .mapToObj(i -> scheduledInTransaction("m" + i))
                .toList();
        await().until(() -> completions.size() == 20);

        ClientOverloadedException refusal =
                catchThrowableOfType(ClientOverloadedException.class, () -> scheduledInTransaction("late"));
        completions.forEach(Runnable::run);

        assertThat(refusal).hasMessageContaining("20 answered calls wait for a completion thread");
        assertThat(waiting).allSatisfy(future -> assertThat(future).isCompleted());
        assertThat(client.find("orders", "late")).isEmpty();
        scheduledInTransaction("later");
        assertThat(client.find("orders", "later")).isPresent();
    }

    private CompletableFuture<ScheduleResult> scheduledInTransaction(String id) {
        return scheduledInTransaction(id, Function.identity());
    }

    /** Chained before the commit, since a continuation of a future that is complete runs on the thread that chains it. */
    private <T> CompletableFuture<T> scheduledInTransaction(String id, Function<ScheduleResult, T> continuation) {
        return transaction.execute(status -> template.scheduleAsync(message(id)).thenApply(continuation));
    }

    private static OutgoingMessage message(String id) {
        return OutgoingMessage.to("orders")
                .id(id)
                .payload(id.getBytes(UTF_8))
                .delay(HOUR)
                .build();
    }

    private static boolean awaitQuietly(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
