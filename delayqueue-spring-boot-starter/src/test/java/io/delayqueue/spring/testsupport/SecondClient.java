package io.delayqueue.spring.testsupport;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.spring.autoconfigure.DelayQueueOptionsConfigurer;
import io.delayqueue.spring.autoconfigure.RestartableDelayQueueClient;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Beans of an application that uses another Redis beside its own, as the guide shows them. */
public final class SecondClient {

    private final int port;

    /** @param port of the other Redis */
    public SecondClient(int port) {
        this.port = port;
    }

    @Bean(defaultCandidate = false)
    LettuceConnectionFactory secondRedis() {
        return new LettuceConnectionFactory("127.0.0.1", port);
    }

    @Bean(defaultCandidate = false)
    DelayQueueClient secondClient(
            @Qualifier("secondRedis") LettuceConnectionFactory redis, DelayQueueOptionsConfigurer configurer) {
        return RestartableDelayQueueClient.create(
                redis, configurer.configure(DelayQueueOptions.builder()).build());
    }
}
