package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.system.CapturedOutput;

/** Transactions commit while Redis is away, and their calls are sent once it answers. */
class RedisAwayInTransactionsTests extends DatabaseTransactionsFixture {

    private static final byte[] MEGABYTE = new byte[1024 * 1024];

    @Test
    void redisThatIsDownHoldsTheOnlyConnectionBriefly(EmbeddedRedis redis) throws Exception {
        int orders = 60;
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            runner.run(context -> {
                DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                connect(template);
                placeAndSchedule(template, "first");
                awaitPending(context, "orders", 1);
                redis.pause();
                long began = System.nanoTime();
                List<Future<?>> commits = new ArrayList<>();
                for (int i = 0; i < orders; i++) {
                    String id = "order-" + i;
                    commits.add(threads.submit(() -> placeAndSchedule(template, id)));
                }
                for (Future<?> commit : commits) {
                    commit.get(60, TimeUnit.SECONDS);
                }
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .as("time of %d commits; one call of Redis takes 5 s to fail", orders)
                        .isLessThan(Duration.ofSeconds(15));
                assertThat(count()).isEqualTo(orders + 1);

                redis.resume();
                awaitPending(context, "orders", orders + 1);
            });
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void callsOnOneMessageKeepTheirOrderAcrossTransactionsWhileRedisIsDown(EmbeddedRedis redis) {
        runner.run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            redis.pause();
            for (int i = 0; i < 20; i++) {
                String id = "order-" + i;
                transaction.executeWithoutResult(status -> scheduleWithId(template, id));
                transaction.executeWithoutResult(status -> template.cancel("orders", id));
                if (i % 2 == 0) {
                    transaction.executeWithoutResult(status -> scheduleWithId(template, id));
                    transaction.executeWithoutResult(status -> template.reschedule("orders", id, Duration.ofHours(9)));
                }
            }
            redis.resume();

            await().atMost(Duration.ofSeconds(30)).ignoreExceptions().untilAsserted(() -> {
                for (int i = 0; i < 20; i++) {
                    var found = template.find("orders", "order-" + i);
                    assertThat(found.isPresent()).isEqualTo(i % 2 == 0);
                    found.ifPresent(message ->
                            assertThat(message.due()).isAfter(Instant.now().plus(Duration.ofHours(8))));
                }
            });
        });
    }

    @Test
    void closingWaitsForWhatRedisHasNotTakenYet(EmbeddedRedis redis) {
        runner.withPropertyValues("delayqueue.shutdown-timeout=20s").run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            redis.pause();
            for (int i = 0; i < 30; i++) {
                placeAndSchedule(template, "order-" + i);
            }
            CompletableFuture<Void> close = CompletableFuture.runAsync(context.getSourceApplicationContext()::close);
            await().during(Duration.ofMillis(300)).until(() -> !close.isDone());
            redis.resume();
            close.get(30, TimeUnit.SECONDS);
        });
        runner.run(context -> {
            connect(context.getBean(DelayQueueOperations.class));
            assertThat(pending(context, "orders")).isEqualTo(30);
        });
    }

    @Test
    void closingLogsTheIdsOfWhatRedisDidNotTake(EmbeddedRedis redis, CapturedOutput output) {
        List<CompletableFuture<ScheduleResult>> futures = new ArrayList<>();
        runner.withPropertyValues("delayqueue.shutdown-timeout=300ms").run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            redis.pause();
            transaction.executeWithoutResult(status -> {
                for (int i = 0; i < 250; i++) {
                    futures.add(template.message("orders", "x")
                            .id("order-" + i)
                            .delay(HOUR)
                            .scheduleAsync());
                }
                template.cancel("other", "cancelled-one");
            });
            context.getSourceApplicationContext().close();

            for (int i = 0; i < 250; i++) {
                assertThat(output).contains("schedule 'order-" + i + "' of topic 'orders'");
            }
            assertThat(output).contains("cancel 'cancelled-one' of topic 'other'", "with unknown outcome");
            // on threads of their own
            await().untilAsserted(() -> assertThat(futures).allMatch(CompletableFuture::isCompletedExceptionally));
        });
        redis.resume();
    }

    @Test
    void commitIsRefusedWhileTooMuchOfItsTopicWaits(EmbeddedRedis redis) {
        runner.withPropertyValues("delayqueue.shutdown-timeout=20s").run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            redis.pause();
            transaction.executeWithoutResult(status -> {
                for (int i = 0; i < 17; i++) {
                    template.schedule("orders", MEGABYTE, HOUR);
                }
            });

            assertThatExceptionOfType(ClientOverloadedException.class)
                    .isThrownBy(() -> placeAndSchedule(template, "refused"))
                    .withMessageContaining("the transaction is rolled back")
                    .satisfies(refusal -> assertThat(refusal.topic()).isEqualTo("orders"));
            assertThat(count()).as("rolled back").isZero();
            transaction.executeWithoutResult(status -> template.schedule("other", "x", HOUR));

            redis.resume();
            awaitPending(context, "orders", 17);
            awaitPending(context, "other", 1);
            placeAndSchedule(template, "accepted");
            awaitPending(context, "orders", 18);
        });
    }

    @Test
    void restartedApplicationRepeatsAgain(EmbeddedRedis redis, CapturedOutput output) {
        runner.withPropertyValues("delayqueue.command-timeout=500ms").run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            context.getSourceApplicationContext().stop();
            context.getSourceApplicationContext().start();
            connect(template);
            redis.pause();
            placeAndSchedule(template, "order");
            await().until(() -> output.getOut().contains("wait for Redis and are repeated"));
            redis.resume();
            awaitPending(context, "orders", 1);
        });
    }

    private int count() {
        Integer count = database.queryForObject("select count(*) from orders", Integer.class);
        return count == null ? -1 : count;
    }
}
