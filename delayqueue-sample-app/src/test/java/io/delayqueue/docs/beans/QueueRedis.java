package io.delayqueue.docs.beans;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

// tag::second-redis[]
@Configuration(proxyBeanMethods = false)
class QueueRedis {

    @Bean(defaultCandidate = false) // so that Spring Boot still defines the application's own
    LettuceConnectionFactory delayQueueConnectionFactory(
            @Value("${queue.redis.host}") String host, @Value("${queue.redis.port}") int port) {
        return new LettuceConnectionFactory(new RedisStandaloneConfiguration(host, port));
    }
}
// end::second-redis[]
