package io.delayqueue.gateway.sqs.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import reactor.core.publisher.Mono;

@ExtendWith(EmbeddedRedisExtension.class)
class BoundedRedisTests {

    private LettuceConnectionFactory connections;
    private BoundedRedis redis;

    @BeforeEach
    void connect(EmbeddedRedis server) {
        connections = new LettuceConnectionFactory(server.host(), server.port());
        connections.afterPropertiesSet();
        connections.start();
        redis = new BoundedRedis(new ReactiveStringRedisTemplate(connections), "dq", Duration.ofSeconds(20));
    }

    @AfterEach
    void disconnect() {
        connections.destroy();
    }

    /** As Lettuce answers commands of a connection that it closes. */
    private static <T> Mono<T> closed() {
        return Mono.error(new CancellationException());
    }

    @Test
    void aCommandWhoseConnectionIsClosedFindsTheServiceUnavailable() {
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> redis.await(commands -> closed()))
                .withMessage(SqsErrors.unavailable().getMessage());
    }

    @Test
    void theFutureOfSuchACommandIsNotCancelled() {
        CompletableFuture<String> answer = redis.send(commands -> closed());

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(answer::get)
                .withMessageContaining("The connection was closed");
        assertThat(SqsErrors.of(answer.handle((result, failure) -> failure).join())
                        .error())
                .isEqualTo(SqsErrors.late().error());
    }
}
