package io.delayqueue.gateway.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.redis.BoundedRedis;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;

/** A server falls silent, for good or for a moment, without closing its connections. */
@ExtendWith(EmbeddedRedisExtension.class)
class UnansweredCommandsTests {

    /** Its machine has failed, and another one has its address. */
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

    /** The application's own command has more patience than those of the gateway. */
    @Test
    void aShortSilenceEndsNoCommandOfTheApplication(EmbeddedRedis redis) throws Exception {
        LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", redis.port());
        connections.afterPropertiesSet();
        connections.start();
        try {
            ReactiveStringRedisTemplate template = new ReactiveStringRedisTemplate(connections);
            BoundedRedis commands = new BoundedRedis(template, "dq", Duration.ofMillis(200));
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> ping(commands));

            CompletableFuture<Boolean> ofApplication;
            redis.pause();
            try {
                ofApplication =
                        template.opsForValue().set("application", "patient").toFuture();
                for (int i = 0; i < 10; i++) {
                    assertThatExceptionOfType(SqsException.class).isThrownBy(() -> ping(commands));
                }
            } finally {
                redis.resume();
            }
            assertThat(ofApplication).succeedsWithin(Duration.ofSeconds(60)).isEqualTo(true);
        } finally {
            connections.destroy();
        }
    }

    private static boolean ping(BoundedRedis commands) {
        return Boolean.TRUE.equals(commands.await(redis -> redis.opsForValue().set("ping", "pong")));
    }
}
