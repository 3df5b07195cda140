package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.test.util.TestSocketUtils;

/** The connection factory that the delay queue uses, and those that it refuses. */
@ExtendWith(EmbeddedRedisExtension.class)
class ConnectionFactoryChoiceTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void connectionFactoryWithTheQualifierIsUsed(EmbeddedRedis redis) {
        Contexts.runner(TestSocketUtils.findAvailableTcpPort())
                .withUserConfiguration(OwnConnectionFactory.class)
                .withPropertyValues("own.port=" + redis.port())
                .run(context -> {
                    assertThat(context).getBeans(RedisConnectionFactory.class).hasSize(2);
                    assertThat(context.getBean(DelayQueueOperations.class).schedule("orders", "a", HOUR))
                            .isNotBlank();
                });
    }

    @Test
    void severalConnectionFactoriesWithoutAPrimaryOneFailTheStart() {
        runner.withUserConfiguration(TwoConnectionFactories.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(UnusableConnectionFactoryException.class)
                        .hasMessageContaining("several RedisConnectionFactory beans"));
    }

    @Test
    void missingConnectionFactoryFailsTheStart() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DelayQueueAutoConfiguration.class, DelayQueueJacksonAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(UnusableConnectionFactoryException.class, failure -> {
                            assertThat(failure).hasMessageContaining("no RedisConnectionFactory bean");
                            assertThat(failure.action()).contains("spring.data.redis.*", "delayqueue.enabled=false");
                        }));
    }

    @Test
    void connectionFactoryOfAnotherDriverFailsTheStart() {
        runner.withBean("other", RedisConnectionFactory.class, OtherConnectionFactory::new)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(UnusableConnectionFactoryException.class)
                        .hasMessageContaining(OtherConnectionFactory.class.getName()));
    }

    @Test
    void staticMasterAndReplicasFailTheStart() {
        runner.withPropertyValues("spring.data.redis.masterreplica.nodes=127.0.0.1:1,127.0.0.1:2")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(UnusableConnectionFactoryException.class)
                        .hasMessageContaining("static master and replica nodes"));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnConnectionFactory {
        @Bean(name = DelayQueueAutoConfiguration.CONNECTION_FACTORY, defaultCandidate = false)
        LettuceConnectionFactory own(Environment environment) {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration(
                    "127.0.0.1", environment.getRequiredProperty("own.port", Integer.class)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoConnectionFactories {
        @Bean
        LettuceConnectionFactory one() {
            return new LettuceConnectionFactory();
        }

        @Bean
        LettuceConnectionFactory two() {
            return new LettuceConnectionFactory();
        }
    }

    private static final class OtherConnectionFactory implements RedisConnectionFactory {
        @Override
        public RedisConnection getConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public RedisClusterConnection getClusterConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public RedisSentinelConnection getSentinelConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean getConvertPipelineAndTxResults() {
            return true;
        }

        @Override
        public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException failure) {
            return null;
        }
    }
}
