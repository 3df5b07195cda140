package io.delayqueue.sample;

import io.delayqueue.test.EmbeddedRedis;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/**
 * A Redis that starts and ends with the application, so that the sample needs nothing but Java. Your application has no such
 * class: it sets {@code spring.data.redis.url}, as the profile {@code redis} does here.
 */
@Configuration(proxyBeanMethods = false)
@Profile("!redis")
class EmbeddedRedisConfiguration {

    @Bean
    EmbeddedRedis embeddedRedis() {
        // Persistent, as a queue should be, but without fsync: this server is thrown away.
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
