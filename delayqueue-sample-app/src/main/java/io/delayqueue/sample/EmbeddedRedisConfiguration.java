package io.delayqueue.sample;

import io.delayqueue.test.EmbeddedRedis;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/**
 * A Redis that starts and ends with the application, so that the sample needs nothing but Java. An application of yours has
 * no such class: it says {@code spring.data.redis.url}, as the profile {@code redis} does here.
 */
@Configuration(proxyBeanMethods = false)
@Profile("!redis")
class EmbeddedRedisConfiguration {

    @Bean
    EmbeddedRedis embeddedRedis() {
        // On disk, as messages should be; but never waiting for the disk, which a throw-away server needn't.
        return EmbeddedRedis.builder()
                .setting("appendonly", "yes")
                .setting("appendfsync", "no")
                .start();
    }

    @Bean
    DataRedisConnectionDetails embeddedRedisConnection(EmbeddedRedis redis) {
        return new DataRedisConnectionDetails() {
            @Override
            public Standalone getStandalone() {
                return Standalone.of(redis.host(), redis.port());
            }
        };
    }
}
