package io.delayqueue.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.BulkCancelException;
import io.delayqueue.BulkScheduleException;
import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicFullException;
import io.delayqueue.TopicOptions;
import io.delayqueue.spring.testsupport.NoResources;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.transaction.support.TransactionTemplate;

/** Futures of calls inside a transaction: what cancelling them withdraws, and how those of bulks end. */
@ExtendWith(EmbeddedRedisExtension.class)
class FuturesInTransactionsTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofSeconds(20);

    private final TransactionTemplate transaction = new TransactionTemplate(new NoResources());
    private final List<CompletableFuture<?>> futures = new ArrayList<>();
    private RedisClient redis;
    private DelayQueueClient client;
    private DelayQueueTemplate template;

    @BeforeEach
    void connect(EmbeddedRedis server) {
        redis = RedisClient.create(server.uri());
        client = DelayQueueClient.create(
                redis,
                DelayQueueOptions.builder()
                        .commandTimeout(SOON)
                        .topic("full", TopicOptions.builder().maxPending(1).build())
                        .build());
        template = new DelayQueueTemplate(client, new Texts(), List.of()).transactionAware();
    }

    @AfterEach
    void close() {
        template.stop();
        client.close();
        redis.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    @Test
    void futureOfAnIdIsCancelledByARollback() {
        transaction.executeWithoutResult(status -> {
            futures.add(template.scheduleAsync("orders", "a", HOUR));
            futures.add(template.scheduleAllAsync(List.of(message("orders", "b"), message("orders", "c"))));
            futures.add(template.cancelAllAsync("orders", List.of("d", "e")));
            status.setRollbackOnly();
        });

        assertThat(futures).hasSize(3).allMatch(CompletableFuture::isCancelled);
    }

    @Test
    void whatIsCancelledInsideTheTransactionIsNotSent() {
        assertThat(template.schedule(message("orders", "kept")).outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
        List<CompletableFuture<ScheduleResult>> sent = new ArrayList<>();
        transaction.executeWithoutResult(status -> {
            futures.add(template.scheduleAsync("orders", "a", HOUR));
            futures.add(template.message("orders", "b").delay(HOUR).scheduleAsync());
            futures.add(template.scheduleAllAsync(List.of(message("orders", "c"), message("orders", "d"))));
            futures.add(template.cancelAsync("orders", "kept"));
            futures.add(template.cancelAllAsync("orders", List.of("kept")));
            futures.forEach(future -> future.cancel(false));
            sent.add(template.scheduleAsync(message("orders", "last")));
        });

        assertThat(sent.get(0)).succeedsWithin(SOON);
        assertThat(futures).allMatch(CompletableFuture::isCancelled);
        assertThat(template.find("orders", "kept").orElseThrow().state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(client.stats("orders").totals().accepted())
                .as("kept and last")
                .isEqualTo(2);
    }

    @Test
    void bulkEndsWithTheResultsOfAllIfAMessageFails() {
        assertThat(client.schedule(message("full", "one")).outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
        AfterCommitSender sender =
                new AfterCommitSender(client, new CommittedOperations(client::completingOn, Duration.ZERO));
        List<OutgoingMessage> messages =
                List.of(message("orders", "a"), message("full", "two"), message("orders", "b"));

        CompletableFuture<List<ScheduleResult>> bulk = transaction.execute(status -> sender.scheduleAllAsync(messages));

        assertThat(bulk)
                .failsWithin(SOON)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(BulkScheduleException.class, failure -> {
                    assertThat(failure.failedMessages()).containsExactly(messages.get(1));
                    assertThat(failure.entries().get(1).error()).isInstanceOf(TopicFullException.class);
                    assertThat(failure.entries().get(0).result().outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
                    assertThat(failure.entries().get(2).result().outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
                });
    }

    @Test
    void bulkCancelEndsWithTheOutcomesOfAllIfAnIdFails() {
        Map<String, CompletableFuture<CancelOutcome>> answers = new LinkedHashMap<>();
        answers.put("a", CompletableFuture.completedFuture(CancelOutcome.CANCELLED));
        answers.put("b", CompletableFuture.failedFuture(new RedisUnavailableException("away", "orders", "b", null)));
        answers.put("c", CompletableFuture.failedFuture(new IllegalStateException("closed")));

        assertThat(BulkAnswers.ofCancels("orders", answers, Runnable::run))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(BulkCancelException.class, failure -> {
                    assertThat(failure.outcomes()).containsExactly(Map.entry("a", CancelOutcome.CANCELLED));
                    assertThat(failure.failures()).containsOnlyKeys("b", "c");
                    assertThat(failure.failures().get("b")).isInstanceOf(RedisUnavailableException.class);
                });
    }

    @Test
    void emptyBulksEndWithNoResults() {
        transaction.executeWithoutResult(status -> {
            assertThat(template.scheduleAllAsync(List.of()))
                    .succeedsWithin(SOON)
                    .isEqualTo(List.of());
            assertThat(template.cancelAllAsync("orders", List.of()))
                    .succeedsWithin(SOON)
                    .isEqualTo(Map.of());
        });
    }

    @Test
    void builtMessageIsSentAfterCommitAndRecognisedIfItIsRepeated() {
        OutgoingMessage message = message("orders", "a");
        transaction.executeWithoutResult(status -> {
            assertThat(template.schedule(message).outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
            assertThat(template.find("orders", "a")).isEmpty();
        });

        await().until(() -> template.find("orders", "a").isPresent());
        assertThat(template.schedule(message).outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
        assertThat(client.stats("orders").totals().accepted()).isOne();
    }

    @Test
    void cancelOfAFutureOfAnIdReachesTheCall() {
        CompletableFuture<ScheduleResult> answer = new CompletableFuture<>();

        assertThat(LinkedFuture.of(answer, ScheduleResult::id).cancel(false)).isTrue();

        assertThat(answer).isCancelled();
    }

    @Test
    void givenUpOperationIsNotRepeated() {
        CommittedOperations committed = new CommittedOperations(client);
        AfterCommitOperation<ScheduleResult> operation = AfterCommitOperation.schedule(message("orders", "a"));
        operation.answer().cancel(false);

        committed.send(List.of(operation));

        assertThat(client.stats("orders").totals().accepted()).isZero();
    }

    private static OutgoingMessage message(String topic, String id) {
        return OutgoingMessage.to(topic)
                .id(id)
                .payload(id.getBytes(UTF_8))
                .delay(HOUR)
                .build();
    }

    /** Payloads of these tests are texts. */
    private static final class Texts implements PayloadConverter {

        @Override
        public byte[] toBytes(Object payload) {
            return payload.toString().getBytes(UTF_8);
        }

        @Override
        public Object fromBytes(byte[] bytes, Type type) {
            return new String(bytes, UTF_8);
        }
    }
}
