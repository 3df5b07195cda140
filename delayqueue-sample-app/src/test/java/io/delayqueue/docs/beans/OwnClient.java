package io.delayqueue.docs.beans;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.spring.DelayQueueTemplate;
import io.delayqueue.spring.HeaderContributor;
import io.delayqueue.spring.PayloadConverter;
import io.delayqueue.spring.autoconfigure.DelayQueueListenerContainerFactoryConfigurer;
import io.delayqueue.spring.autoconfigure.DelayQueueOptionsConfigurer;
import io.delayqueue.spring.autoconfigure.DelayQueueOptionsCustomizer;
import io.delayqueue.spring.autoconfigure.DelayQueueTemplateConfigurer;
import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.listener.ListenerMethods;
import io.lettuce.core.RedisClient;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of the starter are replaced, and keep what the starter gives its own. */
class OwnClient {

    private OwnClient() {}

    @Configuration(proxyBeanMethods = false)
    static class Customized {

        // tag::customizer[]
        @Bean
        DelayQueueOptionsCustomizer largePayloads() {
            return options -> options.maxPayload(8 * 1024 * 1024);
        }
        // end::customizer[]
    }

    @Configuration(proxyBeanMethods = false)
    static class Replaced {

        // tag::client[]
        @Bean
        DelayQueueClient delayQueueClient(RedisClient redis, DelayQueueOptionsConfigurer configurer) {
            return DelayQueueClient.create(
                    redis, configurer.configure(DelayQueueOptions.builder()).build());
        }
        // end::client[]

        // tag::template[]
        @Bean
        DelayQueueTemplate delayQueueTemplate(
                DelayQueueClient client, PayloadConverter converter, DelayQueueTemplateConfigurer configurer) {
            HeaderContributor origin = (topic, headers) -> headers.accept("origin", "shop");
            return configurer.configure(new DelayQueueTemplate(client, converter, List.of(origin)));
        }
        // end::template[]

        // tag::container-factory[]
        @Bean
        DelayQueueListenerContainerFactory containerFactory(
                DelayQueueClient client,
                ListenerMethods methods,
                DelayQueueListenerContainerFactoryConfigurer configurer) {
            DelayQueueListenerContainerFactory factory = new DelayQueueListenerContainerFactory(client, methods);
            configurer.configure(factory); // properties, interceptors, error handler
            factory.setErrorHandler((message, failure, delivery) -> delivery.deadLetter("not worth another attempt"));
            return factory;
        }
        // end::container-factory[]
    }
}
