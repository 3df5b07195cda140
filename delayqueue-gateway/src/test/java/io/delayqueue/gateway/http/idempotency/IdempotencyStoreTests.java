package io.delayqueue.gateway.http.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.http.body.Json;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.data.redis.connection.ReactiveRedisClusterConnection;
import org.springframework.data.redis.connection.ReactiveRedisConnection;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;

/** Many requests while Redis is silent, over a connection that nobody opens anew. */
@ExtendWith(EmbeddedRedisExtension.class)
class IdempotencyStoreTests {

    private static final RequestRecord RECORD = new RequestRecord("fingerprint", "seed", 1, null);

    @Test
    void commandsThatRedisDoesNotAnswerMakeRoomForOthers(EmbeddedRedis redis) throws Exception {
        LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", redis.port());
        connections.afterPropertiesSet();
        connections.start();
        try (IdempotencyStore store = new IdempotencyStore(
                new ReactiveStringRedisTemplate(new Unchanged(connections)),
                "dq",
                Duration.ofMinutes(1),
                Duration.ofSeconds(1),
                new Json())) {
            // to connect may take longer than a command
            await().atMost(Duration.ofSeconds(60)).until(() -> failureOf(store.begin("first", RECORD)) == null);

            redis.pause();
            try {
                List<CompletableFuture<Optional<RequestRecord>>> begun = new ArrayList<>();
                // until too many wait: on a slow machine, the first of them may have timed out by then
                do {
                    begun.add(store.begin("silent" + begun.size(), RECORD));
                } while (begun.size() < 100_000 && !isRefused(begun.get(begun.size() - 1)));
                assertThat(begun.stream().filter(one -> !one.isDone())).hasSizeLessThanOrEqualTo(1_000);
                assertThat(begun.stream().map(IdempotencyStoreTests::failureOf).toList())
                        .contains(QueryTimeoutException.class, TransientDataAccessResourceException.class);

                assertThat(failureOf(store.begin("later", RECORD))).isEqualTo(QueryTimeoutException.class);
            } finally {
                redis.resume();
            }
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptionsInstanceOf(DataAccessException.class)
                    .until(() -> failureOf(store.begin("last", RECORD)) == null);
        } finally {
            connections.destroy();
        }
    }

    private static boolean isRefused(CompletableFuture<?> begun) {
        return begun.isDone() && TransientDataAccessResourceException.class.equals(failureOf(begun));
    }

    /** The class of the failure; null if there is none. */
    private static @Nullable Class<?> failureOf(CompletableFuture<?> answer) {
        return answer.handle((value, failure) ->
                        failure == null ? null : failure.getCause().getClass())
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    /** A factory of which the gateway can't ask for new connections. */
    private record Unchanged(LettuceConnectionFactory connections) implements ReactiveRedisConnectionFactory {

        @Override
        public ReactiveRedisConnection getReactiveConnection() {
            return connections.getReactiveConnection();
        }

        @Override
        public ReactiveRedisClusterConnection getReactiveClusterConnection() {
            return connections.getReactiveClusterConnection();
        }

        @Override
        public DataAccessException translateExceptionIfPossible(RuntimeException failure) {
            return connections.translateExceptionIfPossible(failure);
        }
    }
}
