package io.delayqueue.internal.redis;

import static io.delayqueue.ScheduleOutcome.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.UnexpectedReplyException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ScriptExecutorTests extends ScriptTests {

    record Call(String script, Duration duration, @Nullable Throwable error) {}

    private final List<Call> calls = new CopyOnWriteArrayList<>();

    private final DelayQueueObserver observer = new DelayQueueObserver() {
        @Override
        public void redisCall(String script, Duration duration, @Nullable Throwable error) {
            calls.add(new Call(script, duration, error));
            throw new IllegalStateException("observers fail, too");
        }
    };

    @Test
    void scriptsThatRedisLostAreSentAgain() {
        schedule(message("a"));
        redis.scriptFlush();

        assertThat(schedule(message("b"))).containsExactly(SCHEDULED);
        assertThat(claim().claimed()).hasSize(2);
        assertThat(redis.scriptExists(Script.SCHEDULE.digest(), Script.CLAIM.digest()))
                .containsExactly(true, true);
    }

    @Test
    void theObserverSeesEachCallAndItsExceptionsAreIgnored() {
        try (RedisMessageStore observed = open(options().observer(observer))) {
            long begunNanos = System.nanoTime();
            assertThat(get(observed.find(PARTITION, "never"))).isEmpty();
            get(observed.deadLetters().list(PARTITION, 0, 1));
            await().untilAsserted(() -> assertThat(calls).hasSize(2));

            Duration since = Duration.ofNanos(System.nanoTime() - begunNanos);
            assertThat(calls).extracting(Call::script).containsExactly("find", "dead_letters");
            assertThat(calls).allSatisfy(call -> {
                assertThat(call.duration()).isPositive().isLessThan(since);
                assertThat(call.error()).isNull();
            });
        }
    }

    @Test
    void theObserverSeesFailures() {
        redis.set(raw.name(":messages"), "not a hash");
        try (RedisMessageStore observed = open(options().observer(observer))) {
            assertThatThrownBy(() -> get(observed.find(PARTITION, "a")))
                    .hasCauseInstanceOf(UnexpectedReplyException.class)
                    .hasMessageContaining("WRONGTYPE");
            await().untilAsserted(() -> assertThat(calls).hasSize(1));

            assertThat(calls.get(0).error()).isInstanceOf(UnexpectedReplyException.class);
        }
        redis.del(raw.name(":messages"));
    }
}
