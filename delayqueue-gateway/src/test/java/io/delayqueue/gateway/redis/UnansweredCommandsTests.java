package io.delayqueue.gateway.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.redis.BoundedRedis;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;

/** A server's machine fails without closing its connections, and another one takes its address. */
@ExtendWith(EmbeddedRedisExtension.class)
class UnansweredCommandsTests {

    @Test
    void commandsGoOnOverNewConnections(EmbeddedRedis redis) throws Exception {
        try (SilentProxy proxy = new SilentProxy(redis.port())) {
            LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", proxy.port());
            connections.afterPropertiesSet();
            connections.start();
            try {
                BoundedRedis commands =
                        new BoundedRedis(new ReactiveStringRedisTemplate(connections), "dq", Duration.ofSeconds(1));
                await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> ping(commands));

                assertThat(proxy.silence()).isPositive();

                assertThatExceptionOfType(SqsException.class).isThrownBy(() -> ping(commands));
                await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> ping(commands));
            } finally {
                connections.destroy();
            }
        }
    }

    private static boolean ping(BoundedRedis commands) {
        return Boolean.TRUE.equals(commands.await(redis -> redis.opsForValue().set("ping", "pong")));
    }
}
