package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Dead letters are purged as fast as their retention ends, whoever uses the topic. */
class RetentionTests {

    private static final int MANY = 4_000;
    private static final Duration WEEK = Duration.ofDays(7);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private LogLines warningsOfDeadLetters;

    @BeforeEach
    void hideWarnings() {
        warningsOfDeadLetters = LogLines.ofEngine();
    }

    @AfterEach
    void showWarnings() {
        warningsOfDeadLetters.close();
    }

    @Test
    void consumerPurgesAllDeadLettersPastTheirRetentionAtOnce() {
        DelayQueueClient first = open(WEEK);
        consumeFailing(first).stop(Duration.ofSeconds(20));
        deadLetters(first, MANY);
        age(WEEK.plusHours(1), 0, MANY - 10);

        consumeFailing(open(WEEK));

        awaitStats(stats -> assertThat(stats.totals().purged()).isEqualTo(MANY - 10));
        assertThat(test.stats().dead()).isEqualTo(10);
    }

    @Test
    void deadLettersThatKeepComingDoNotPileUp() {
        DelayQueueClient queue = open(Duration.ofSeconds(1));
        consumeFailing(queue);
        for (int i = 0; i < MANY; i += 100) {
            schedule(queue, i, i + 100);
        }

        awaitStats(stats -> {
            assertThat(stats.totals().deadLettered()).isEqualTo(MANY);
            assertThat(stats.dead()).isZero();
        });
    }

    @Test
    void clientThatOnlySchedulesPurgesByTheRetentionThatConsumersRecorded() {
        DelayQueueClient gone = open(Duration.ofMinutes(5));
        deadLetters(gone, MANY);
        gone.close();
        age(Duration.ofMinutes(6), 0, MANY);

        test.queue().schedule(TestQueue.message().delay(WEEK).build());

        awaitStats(stats -> assertThat(stats.totals().purged()).isEqualTo(MANY));
    }

    @Test
    void clientThatOnlySchedulesKeepsWhatConsumersKeepLonger() throws Exception {
        DelayQueueClient gone = open(Duration.ofDays(90));
        deadLetters(gone, 5);
        gone.close();
        age(Duration.ofDays(80), 0, 5);
        CountDownLatch purged = new CountDownLatch(1);
        DelayQueueObserver observer = new DelayQueueObserver() {
            @Override
            public void redisCall(String script, Duration duration, @Nullable Throwable error) {
                if (script.equals("purge")) {
                    purged.countDown();
                }
            }
        };

        test.open(options -> options.observer(observer))
                .schedule(TestQueue.message().delay(WEEK).build());

        assertThat(purged.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(test.stats().dead()).isEqualTo(5);
    }

    private DelayQueueClient open(Duration retention) {
        UnaryOperator<DelayQueueOptions.Builder> options = builder -> builder.topic(
                TestQueue.TOPIC,
                TopicOptions.builder().deadLetterRetention(retention).build());
        // the guard makes the claims of a consumer that has nothing else to do
        return test.open(builder -> options.apply(builder.guardInterval(Duration.ofMillis(200))));
    }

    private static Subscription consumeFailing(DelayQueueClient queue) {
        ConsumerOptions.Builder options = TestQueue.options().concurrency(50).maxAttempts(1);
        return TestQueue.consume(queue, options, (message, delivery) -> {
            throw new IllegalStateException("no");
        });
    }

    private void deadLetters(DelayQueueClient queue, int count) {
        schedule(queue, 0, count);
        Subscription consumer = consumeFailing(queue);
        awaitStats(stats -> assertThat(stats.dead()).isEqualTo(count));
        consumer.stop(Duration.ofSeconds(20));
    }

    private static void schedule(DelayQueueClient queue, int from, int to) {
        List<OutgoingMessage> messages = IntStream.range(from, to)
                .mapToObj(i -> TestQueue.message().id("m" + i).build())
                .toList();
        queue.scheduleAll(messages);
    }

    /** Sets back when some dead letters were dead-lettered. */
    private void age(Duration age, int from, int to) {
        long micros = test.nowMicros() - age.toNanos() / 1000;
        test.redis()
                .eval(
                        "for _, id in ipairs(redis.call('ZRANGE', KEYS[1], ARGV[2], ARGV[3])) do"
                                + " redis.call('ZADD', KEYS[1], 'XX', ARGV[1], id) end",
                        ScriptOutputType.STATUS,
                        new String[] {TestQueue.key("dead")},
                        String.valueOf(micros),
                        String.valueOf(from),
                        String.valueOf(to - 1));
    }

    private void awaitStats(java.util.function.Consumer<TopicStats> expected) {
        TestQueue.await().untilAsserted(() -> expected.accept(test.stats()));
    }
}
