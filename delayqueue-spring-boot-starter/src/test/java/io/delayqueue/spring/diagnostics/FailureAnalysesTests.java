package io.delayqueue.spring.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.delayqueue.spring.testsupport.DocumentedUser;
import io.delayqueue.test.EmbeddedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.util.TestSocketUtils;

/** Output of an application with every auto-configuration that fails to start. */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysesTests {

    @Test
    void unavailableRedisWithFailFast(CapturedOutput output) {
        fails("--delayqueue.fail-fast=true", "--spring.data.redis.port=" + TestSocketUtils.findAvailableTcpPort());

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Redis is unavailable, and delayqueue.fail-fast is on: ")
                .contains("Check spring.data.redis.* and that the server is running");
    }

    @Test
    void missingCommandPermission(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            DocumentedUser.create(redis, "-zadd -hmget");
            fails(
                    "--spring.data.redis.port=" + redis.port(),
                    "--spring.data.redis.username=" + DocumentedUser.NAME,
                    "--spring.data.redis.password=" + DocumentedUser.password(),
                    "--delayqueue.command-timeout=20s");
        }

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("The Redis user lacks permissions that the delay queue needs: hmget, zadd.")
                .contains("Grant them with ACL SETUSER, or use another user.")
                .doesNotContain(DocumentedUser.password());
    }

    @Test
    void missingKeyPermission(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            DocumentedUser.create(redis, "resetkeys ~shop:*");
            fails(
                    "--spring.data.redis.port=" + redis.port(),
                    "--spring.data.redis.username=" + DocumentedUser.NAME,
                    "--spring.data.redis.password=" + DocumentedUser.password(),
                    "--delayqueue.command-timeout=20s");
        }

        assertThat(output).contains("APPLICATION FAILED TO START").contains("smembers dq:topics");
    }

    @Test
    void staticReplicas(CapturedOutput output) {
        fails("--spring.data.redis.masterreplica.nodes=127.0.0.1:1,127.0.0.1:2");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("has static master and replica nodes, which the delay queue does not support")
                .contains("Use Redis Sentinel");
    }

    @Test
    void missingConnectionFactory(CapturedOutput output) {
        fails("--spring.autoconfigure.exclude="
                + "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
                + "org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration");

        assertThat(output)
                .contains("The delay queue needs Redis, but there is no RedisConnectionFactory bean.")
                .contains("Set spring.data.redis.*");
    }

    @Test
    void propertyOutOfRange(CapturedOutput output) {
        fails("--delayqueue.guard-interval=1ms");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Invalid value '1ms' for configuration property 'delayqueue.guard-interval'")
                .contains("guardInterval must be PT0.01S to PT1H, not PT0.001S");
    }

    private static void fails(String... arguments) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        assertThatException().isThrownBy(() -> application.run(arguments));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
