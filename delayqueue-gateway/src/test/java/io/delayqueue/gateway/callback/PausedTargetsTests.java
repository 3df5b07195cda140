package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.redis.UnansweredCommands;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Threads that pause targets, and an operator who ends pauses, at the same time. */
@ExtendWith(EmbeddedRedisExtension.class)
class PausedTargetsTests {

    private static final int ROUNDS = 300;

    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final RedisCalls calls =
            new RedisCalls(Duration.ofSeconds(20), new UnansweredCommands(null, Duration.ofSeconds(20)));
    private LettuceConnectionFactory connections;
    private PausedTargets targets;

    @BeforeEach
    void start(EmbeddedRedis redis) {
        connections = new LettuceConnectionFactory(redis.host(), redis.port());
        connections.afterPropertiesSet();
        connections.start();
        // what was read stays fresh
        targets = new PausedTargets(new StringRedisTemplate(connections), calls, "dq", threads, () -> 0L);
        assertThat(targets.contains("none")).isFalse();
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        connections.destroy();
    }

    @Test
    void pausesThatAreSavedAtTheSameTimeAreAllKnown() throws Exception {
        CompletableFuture<?>[] all = new CompletableFuture<?>[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            String target = "target" + i;
            all[i] = CompletableFuture.runAsync(() -> targets.save(target), threads);
        }
        CompletableFuture.allOf(all).get(60, TimeUnit.SECONDS);

        assertThat(targets.size()).isEqualTo(ROUNDS);
        assertThat(targets.all()).hasSize(ROUNDS);
    }

    @Test
    void aPauseThatAnOperatorEndedIsNotWrittenAgain() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            String target = "target" + i;
            targets.add(target);
            CompletableFuture<Void> saved = CompletableFuture.runAsync(targets::saveAdded, threads);
            CompletableFuture<Void> savedToo = CompletableFuture.runAsync(targets::saveAdded, threads);
            targets.remove(target);
            CompletableFuture.allOf(saved, savedToo).get(60, TimeUnit.SECONDS);

            assertThat(targets.all()).as("round %s", i).isEmpty();
        }
    }
}
