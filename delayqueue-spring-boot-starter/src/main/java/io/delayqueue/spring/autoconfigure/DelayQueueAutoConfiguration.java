package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.DelayQueueTemplate;
import io.delayqueue.spring.HeaderContributor;
import io.delayqueue.spring.MessageSender;
import io.delayqueue.spring.PayloadConverter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Auto-configuration of {@link DelayQueueClient} over the application's Redis, and of {@link DelayQueueTemplate}. The client
 * depends on all {@link DelayQueueObserver} beans, so they can't depend on it.
 */
@AutoConfiguration(after = {DataRedisAutoConfiguration.class, DelayQueueJacksonAutoConfiguration.class})
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(DelayQueueProperties.class)
public final class DelayQueueAutoConfiguration {

    /** Name or qualifier of a connection factory for the delay queue only. */
    public static final String CONNECTION_FACTORY = "delayQueueConnectionFactory";

    @Bean
    DelayQueueOptionsConfigurer delayQueueOptionsConfigurer(
            DelayQueueProperties properties,
            ObjectProvider<DelayQueueObserver> observers,
            ObjectProvider<DelayQueueOptionsCustomizer> customizers,
            ApplicationContext context) {
        return new DelayQueueOptionsConfigurer(
                new OptionsFromProperties(properties),
                observers.orderedStream().toList(),
                HandlerThreads.of(context),
                customizers.orderedStream().toList());
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    DelayQueueClient delayQueueClient(
            DelayQueueOptionsConfigurer configurer,
            @Qualifier(CONNECTION_FACTORY) ObjectProvider<RedisConnectionFactory> ownConnectionFactory,
            ObjectProvider<RedisConnectionFactory> connectionFactories,
            ObjectProvider<DataRedisConnectionDetails> connectionDetails) {
        DelayQueueOptions options =
                configurer.configure(DelayQueueOptions.builder()).build();
        LettuceConnectionFactory factory =
                LettuceClients.factory(ownConnectionFactory, connectionFactories, connectionDetails);
        return RestartableDelayQueueClient.create(factory, options);
    }

    @Bean
    DelayQueueTemplateConfigurer delayQueueTemplateConfigurer(
            ObjectProvider<HeaderContributor> headerContributors,
            ObjectProvider<MessageSender> sender,
            DelayQueueProperties properties) {
        return new DelayQueueTemplateConfigurer(
                headerContributors.orderedStream().toList(), sender.getIfUnique(), properties.isTransactionAware());
    }

    @Bean
    @ConditionalOnMissingBean(DelayQueueOperations.class)
    DelayQueueTemplate delayQueueTemplate(
            DelayQueueClient client, PayloadConverter converter, DelayQueueTemplateConfigurer configurer) {
        return configurer.configure(new DelayQueueTemplate(client, converter));
    }
}
