package io.delayqueue.gateway.sqs.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.redis.BoundedRedis;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;

/** A queue has one move at a time, and a new one as soon as clients see the end of the one before. */
@ExtendWith(EmbeddedRedisExtension.class)
class MoveTaskStoreTests {

    private static final String QUEUE = "orders-dead";
    private static final Duration WAIT = Duration.ofSeconds(60);

    private LettuceConnectionFactory connections;
    private MoveTaskStore store;
    private MoveTaskStore other;

    @BeforeEach
    void start(EmbeddedRedis redis) {
        connections = new LettuceConnectionFactory(redis.host(), redis.port());
        connections.afterPropertiesSet();
        connections.start();
        store = new MoveTaskStore(commands(), WAIT);
        other = new MoveTaskStore(commands());
    }

    @AfterEach
    void stop() {
        connections.destroy();
    }

    private BoundedRedis commands() {
        return new BoundedRedis(new ReactiveStringRedisTemplate(connections), "dq", Duration.ofSeconds(20));
    }

    private static MoveTask task() {
        return new MoveTask(UUID.randomUUID().toString(), MoveTask.RUNNING, 0, 10, 0, 1_000_000, null);
    }

    @Test
    void secondMoveIsRefusedUntilTheFirstHasEnded() {
        MoveTask first = task();
        assertThat(store.begin(QUEUE, first)).isTrue();
        assertThat(other.begin(QUEUE, task())).isFalse();
        assertThat(store.begin(QUEUE, task())).isFalse();
        store.update(QUEUE, first.ended(MoveTask.CANCELLED, null));
        assertThat(other.begin(QUEUE, task())).isTrue();
    }

    /** Clients see the end a little earlier than the instance gives up its charge. */
    @Test
    void moveBeginsWhileTheOneBeforeEnds() {
        assertThat(other.takeCharge(QUEUE)).isTrue();
        CompletableFuture<Boolean> begun = CompletableFuture.supplyAsync(() -> store.begin(QUEUE, task()));
        await().during(Duration.ofMillis(200)).atMost(WAIT).until(() -> !begun.isDone());
        assertThat(store.list(QUEUE)).as("it waits").isEmpty();
        other.handOver(QUEUE);
        assertThat(begun).succeedsWithin(WAIT).isEqualTo(true);
        assertThat(store.running(QUEUE)).isPresent();
    }

    @Test
    void chargeThatNobodyGivesUpIsToldAsAnOutage() {
        assertThat(other.takeCharge(QUEUE)).isTrue();
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> new MoveTaskStore(commands(), Duration.ofMillis(200)).begin(QUEUE, task()))
                .satisfies(e -> assertThat(e.error()).isEqualTo(SqsError.SERVICE_UNAVAILABLE));
        assertThat(store.list(QUEUE)).isEmpty();
    }
}
