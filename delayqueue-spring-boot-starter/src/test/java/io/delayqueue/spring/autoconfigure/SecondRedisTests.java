package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** A Redis for the delay queue beside the application's. */
@ExtendWith(EmbeddedRedisExtension.class)
class SecondRedisTests {

    private static EmbeddedRedis ofTheApplication;

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeAll
    static void startTheApplicationsRedis() {
        ofTheApplication = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopTheApplicationsRedis() {
        ofTheApplication.close();
    }

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(ofTheApplication.port()).withPropertyValues("queue.port=" + redis.port());
    }

    @Test
    void templateAndCacheStayOnTheApplicationsRedis(EmbeddedRedis redis) {
        runner.withUserConfiguration(NoDefaultCandidate.class, Users.class).run(context -> {
            DelayQueueOperations delayQueue = context.getBean(DelayQueueOperations.class);
            delayQueue.schedule("work", "w", Duration.ZERO);
            assertThat(context.getBean(Listener.class).received.first()).isEqualTo("w");
            delayQueue.schedule("later", "w", Duration.ofHours(1));

            context.getBean(StringRedisTemplate.class).opsForValue().set("key", "value");
            context.getBean(RedisCacheManager.class).getCache("cache").put("key", "value");

            assertThat(keys(ofTheApplication)).containsExactlyInAnyOrder("key", "cache::key");
            assertThat(keys(redis)).isNotEmpty().allMatch(key -> key.startsWith("dq:"));
        });
    }

    @Test
    void defaultCandidateThatWouldBeTheApplicationsTooIsRefusedByName() {
        runner.withUserConfiguration(DefaultCandidate.class, Users.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(UnusableConnectionFactoryException.class, failure -> {
                            assertThat(failure)
                                    .hasMessageContaining("delayQueueConnectionFactory", "StringRedisTemplate");
                            assertThat(failure.action()).contains("defaultCandidate = false", "another name");
                        }));
    }

    @Test
    void defaultCandidateIsAcceptedBesideAPrimaryOne() {
        runner.withUserConfiguration(DefaultCandidate.class, PrimaryConnectionFactory.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(DelayQueueClient.class).topics()).isEmpty();
                });
    }

    private static List<String> keys(EmbeddedRedis redis) {
        RedisClient client = RedisClient.create(redis.uri());
        try {
            return client.connect().sync().keys("*");
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private static LettuceConnectionFactory factory(int port) {
        return new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
    }

    @Configuration(proxyBeanMethods = false)
    static class NoDefaultCandidate {
        @Bean(name = DelayQueueAutoConfiguration.CONNECTION_FACTORY, defaultCandidate = false)
        LettuceConnectionFactory queues(Environment environment) {
            return factory(environment.getRequiredProperty("queue.port", Integer.class));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DefaultCandidate {
        @Bean(name = DelayQueueAutoConfiguration.CONNECTION_FACTORY)
        LettuceConnectionFactory queues(Environment environment) {
            return factory(environment.getRequiredProperty("queue.port", Integer.class));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryConnectionFactory {
        @Bean
        @Primary
        LettuceConnectionFactory applications() {
            return factory(ofTheApplication.port());
        }
    }

    /** A listener, and a cache manager that asks for its connection factory as those of Boot and of Spring Session do. */
    @Configuration(proxyBeanMethods = false)
    static class Users {
        @Bean
        Listener listener() {
            return new Listener();
        }

        @Bean
        RedisCacheManager cacheManager(ObjectProvider<RedisConnectionFactory> factory) {
            return RedisCacheManager.create(factory.getObject());
        }
    }

    static class Listener {
        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(String work) {
            received.add(work);
        }
    }
}
