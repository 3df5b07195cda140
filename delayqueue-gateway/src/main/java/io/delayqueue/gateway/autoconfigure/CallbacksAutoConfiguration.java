package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.callback.CallbackConfiguration;
import io.delayqueue.gateway.callback.CallbackObserver;
import io.delayqueue.gateway.callback.CallbackProperties;
import io.delayqueue.gateway.callback.CallbackTargets;
import io.delayqueue.gateway.callback.CallbackTopicProperties;
import io.delayqueue.gateway.callback.Callbacks;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueOptionsCustomizer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Auto-configuration of callbacks, in applications that configure topics for them, with or without a web server. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@Conditional(OnCallbackTopicsCondition.class)
@EnableConfigurationProperties({CallbackProperties.class, CallbackTopicProperties.class})
public final class CallbacksAutoConfiguration {

    @Bean
    CallbackConfiguration delayQueueCallbackConfiguration(
            CallbackProperties properties, CallbackTopicProperties topicProperties, ApplicationContext context) {
        UnboundCallbackProperties.refuse(context.getEnvironment());
        CallbackConfiguration.requireHttpClient(context.getClassLoader());
        return new CallbackConfiguration(properties, topicProperties);
    }

    /** Wrong messages are refused wherever they are scheduled: by the template, by the client, by the HTTP API. */
    @Bean
    DelayQueueOptionsCustomizer delayQueueCallbackMessageCheck(CallbackConfiguration configuration) {
        return options -> options.messageCheck(configuration.messageCheck());
    }

    @Bean
    Callbacks delayQueueCallbacks(
            DelayQueueClient client,
            CallbackConfiguration configuration,
            CallbackProperties properties,
            ObjectProvider<SslBundles> sslBundles,
            ObjectProvider<CallbackObserver> observers,
            @Qualifier(DelayQueueAutoConfiguration.CONNECTION_FACTORY)
                    ObjectProvider<RedisConnectionFactory> ownConnectionFactory,
            ObjectProvider<RedisConnectionFactory> connectionFactories) {
        RedisConnectionFactory factory = ownConnectionFactory.getIfAvailable(connectionFactories::getObject);
        return new Callbacks(
                client,
                configuration,
                new StringRedisTemplate(factory),
                ssl(properties.getSslBundle(), sslBundles),
                observers.orderedStream().toList());
    }

    private static @Nullable SSLContext ssl(@Nullable String bundle, ObjectProvider<SslBundles> bundles) {
        return bundle == null || bundle.isBlank()
                ? null
                : bundles.getObject().getBundle(bundle).createSslContext();
    }

    @Bean
    CallbackTargets delayQueueCallbackTargets(Callbacks callbacks) {
        return callbacks.targets();
    }
}
