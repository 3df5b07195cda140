package io.delayqueue.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.AsyncOperations;
import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicOptions;
import io.delayqueue.spring.testsupport.NoResources;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Operations of committed transactions, while no thread is left for what the application chains to futures. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class BlockedContinuationsInTransactionsTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofSeconds(20);

    private final TransactionTemplate transaction = new TransactionTemplate(new NoResources());
    /** Tasks of the application's executor, whose threads all block. */
    private final LinkedBlockingQueue<Runnable> completions = new LinkedBlockingQueue<>();

    private final Logger log = (Logger) LoggerFactory.getLogger(CommittedOperations.class);
    private RedisClient redis;
    private DelayQueueClient client;

    @BeforeEach
    void connect(EmbeddedRedis server) {
        log.setLevel(Level.OFF);
        redis = RedisClient.create(server.uri());
        client = DelayQueueClient.create(
                redis,
                DelayQueueOptions.builder()
                        .commandTimeout(Duration.ofSeconds(4))
                        .completionExecutor(completions::add)
                        .topic("full", TopicOptions.builder().maxPending(1).build())
                        .build());
        // a machine under load takes longer than the time of a command to load the classes of the first one
        await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> client.stats("orders").totals().accepted() == 0);
    }

    @AfterEach
    void close() {
        log.setLevel(null);
        client.close();
        redis.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    @Test
    void operationsAreSentRepeatedAndEndAndTheirFuturesCompleteOnTheApplicationsExecutor() throws Exception {
        DelayQueueTemplate template = template();
        client.schedule(message("full", "in the way")).id();
        List<CompletableFuture<ScheduleResult>> futures = new ArrayList<>();
        AtomicInteger chained = new AtomicInteger();

        transaction.executeWithoutResult(status -> {
            futures.add(template.scheduleAsync(message("orders", "a")));
            futures.add(template.scheduleAsync(message("full", "repeated")));
            template.schedule(message("orders", "b"));
        });
        futures.forEach(future -> future.thenRun(chained::incrementAndGet));
        await().until(() -> client.find("orders", "b").isPresent());
        client.cancel("full", "in the way");

        await().atMost(SOON).until(() -> client.find("full", "repeated").isPresent());
        long began = System.nanoTime();
        template.stop();
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .as("time of a stop at which all are answered; the shutdown timeout is 20 s")
                .isLessThan(Duration.ofSeconds(10));
        assertThat(futures).noneMatch(CompletableFuture::isDone);
        for (int i = 0; i < 2; i++) {
            completions.take().run();
        }
        assertThat(futures).allSatisfy(future -> assertThat(future).succeedsWithin(Duration.ZERO));
        assertThat(chained).hasValue(2);
    }

    @Test
    void manyOperationsOnOneMessageFollowEachOther() {
        DelayQueueTemplate template = template();
        transaction.executeWithoutResult(status -> {
            for (int i = 0; i < 500; i++) {
                template.schedule(message("orders", "a"));
                template.cancelAsync("orders", "a");
            }
            template.schedule(message("orders", "a"));
        });

        await().atMost(SOON)
                .until(() -> client.stats("orders").totals().accepted() == 501
                        && client.stats("orders").totals().cancelled() == 500);
        template.stop();
        assertThat(client.stats("orders").pending().scheduled()).isOne();
    }

    @Test
    void operationsAreGivenUpAfterTheirTime(EmbeddedRedis server) {
        CommittedOperations committed = new CommittedOperations(client::completingOn, Duration.ofSeconds(1));
        List<AfterCommitOperation<ScheduleResult>> operations = IntStream.range(0, 300)
                .mapToObj(i -> AfterCommitOperation.schedule(message("orders", "m" + i)))
                .toList();
        server.pause();
        try {
            committed.send(List.copyOf(operations));

            await().atMost(SOON)
                    .until(() -> operations.stream()
                            .allMatch(operation -> operation.answer().isDone()));
            assertThat(operations)
                    .allSatisfy(operation -> assertThat(operation.answer())
                            .failsWithin(Duration.ZERO)
                            .withThrowableThat()
                            .withCauseInstanceOf(RedisUnavailableException.class));
        } finally {
            server.resume();
        }
    }

    @Test
    void messagesOfALargeTransactionAreRepeatedAsBulks(EmbeddedRedis server) {
        RecordedCalls calls = new RecordedCalls();
        CommittedOperations committed = new CommittedOperations(calls::over, Duration.ofMinutes(1));
        List<AfterCommitOperation<ScheduleResult>> operations = IntStream.range(0, 1_200)
                .mapToObj(i -> AfterCommitOperation.schedule(message("orders", "m" + i)))
                .toList();
        server.pause();
        try {
            committed.send(List.copyOf(operations));
            // the first bulks have failed by then
            await().atMost(SOON).until(() -> calls.bulks.size() > 3);
        } finally {
            server.resume();
        }

        assertThat(operations)
                .allSatisfy(operation -> assertThat(operation.answer()).succeedsWithin(SOON));
        assertThat(client.stats("orders").totals().accepted()).isEqualTo(1_200);
        assertThat(calls.singles).as("single calls").hasValue(0);
        assertThat(calls.bulks).as("sizes of the bulks").allMatch(size -> size <= 500);
        assertThat(calls.bulks).startsWith(500, 500, 200);
    }

    @Test
    void messagesToEachTopicAreABulkOfTheirOwn() {
        RecordedCalls calls = new RecordedCalls();
        CommittedOperations committed = new CommittedOperations(calls::over, Duration.ofMinutes(1));
        List<AfterCommitOperation<ScheduleResult>> operations = IntStream.range(0, 150)
                .mapToObj(i -> AfterCommitOperation.schedule(message(i % 3 == 0 ? "orders" : "bills", "m" + i)))
                .toList();

        committed.send(List.copyOf(operations));

        assertThat(operations)
                .allSatisfy(operation -> assertThat(operation.answer()).succeedsWithin(SOON));
        assertThat(calls.bulks).containsExactlyInAnyOrder(50, 100);
        assertThat(client.stats("bills").totals().accepted()).isEqualTo(100);
    }

    @Test
    void operationThatFailsForWantOfAThreadIsRepeated() {
        RecordedCalls calls = new RecordedCalls();
        CommittedOperations committed = new CommittedOperations(calls::over, Duration.ofMinutes(1));
        calls.errors.set(2);
        AfterCommitOperation<CancelOutcome> operation = AfterCommitOperation.cancel("orders", "a");

        committed.send(List.of(operation));

        assertThat(operation.answer()).succeedsWithin(SOON).isEqualTo(CancelOutcome.NOT_FOUND);
        assertThat(calls.errors).hasValue(-1);
    }

    private DelayQueueTemplate template() {
        return new DelayQueueTemplate(client, new JsonPayloadConverter(new JsonMapper()), List.of()).transactionAware();
    }

    private static OutgoingMessage message(String topic, String id) {
        return OutgoingMessage.to(topic)
                .id(id)
                .payload(id.getBytes(UTF_8))
                .delay(HOUR)
                .build();
    }

    /** The client's calls, and how the messages were scheduled. */
    private final class RecordedCalls implements AsyncOperations {

        private final AtomicInteger errors = new AtomicInteger();
        private final AtomicInteger singles = new AtomicInteger();
        private final ConcurrentLinkedQueue<Integer> bulks = new ConcurrentLinkedQueue<>();
        private AsyncOperations calls = client;

        AsyncOperations over(Executor executor) {
            calls = client.completingOn(executor);
            return this;
        }

        @Override
        public CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
            singles.incrementAndGet();
            return calls.scheduleAsync(message);
        }

        @Override
        public CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
            bulks.add(messages.size());
            return calls.scheduleAllAsync(messages);
        }

        @Override
        public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
            if (errors.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return calls.cancelAsync(topic, id);
        }

        @Override
        public CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids) {
            return calls.cancelAllAsync(topic, ids);
        }

        @Override
        public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay) {
            return calls.rescheduleAsync(topic, id, delay);
        }

        @Override
        public CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id) {
            return calls.findAsync(topic, id);
        }
    }
}
