package io.delayqueue.docs.twoservers;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.spring.DelayQueueTemplate;
import io.delayqueue.spring.PayloadConverter;
import io.delayqueue.spring.autoconfigure.DelayQueueListenerContainerFactoryConfigurer;
import io.delayqueue.spring.autoconfigure.DelayQueueOptionsConfigurer;
import io.delayqueue.spring.autoconfigure.DelayQueueTemplateConfigurer;
import io.delayqueue.spring.autoconfigure.RestartableDelayQueueClient;
import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.listener.ListenerMethods;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

// tag::server[]
@Configuration(proxyBeanMethods = false)
class ReportsRedis {

    @Bean(defaultCandidate = false) // everything else keeps the application's Redis
    LettuceConnectionFactory reportsRedis(
            @Value("${reports.redis.host}") String host, @Value("${reports.redis.port}") int port) {
        return new LettuceConnectionFactory(host, port);
    }

    @Bean(defaultCandidate = false)
    DelayQueueClient reportsClient(
            @Qualifier("reportsRedis") LettuceConnectionFactory redis, DelayQueueOptionsConfigurer configurer) {
        return RestartableDelayQueueClient.create(
                redis, configurer.configure(DelayQueueOptions.builder()).build());
    }

    @Bean(defaultCandidate = false)
    DelayQueueTemplate reportsQueue(
            @Qualifier("reportsClient") DelayQueueClient client,
            PayloadConverter converter,
            DelayQueueTemplateConfigurer configurer) {
        return configurer.configure(new DelayQueueTemplate(client, converter));
    }

    @Bean(defaultCandidate = false)
    DelayQueueListenerContainerFactory reportsListeners(
            @Qualifier("reportsClient") DelayQueueClient client,
            ListenerMethods methods,
            DelayQueueListenerContainerFactoryConfigurer configurer) {
        DelayQueueListenerContainerFactory factory = new DelayQueueListenerContainerFactory(client, methods);
        configurer.configure(factory);
        return factory;
    }
}
// end::server[]
