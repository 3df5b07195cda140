package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.GatewayProperties;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.RequestRates;
import io.delayqueue.gateway.security.Rights;
import io.delayqueue.gateway.security.TopicRights;
import io.delayqueue.gateway.sqs.SqsProperties;
import io.delayqueue.gateway.sqs.action.Batch;
import io.delayqueue.gateway.sqs.action.ChangeMessageVisibility;
import io.delayqueue.gateway.sqs.action.DeleteMessage;
import io.delayqueue.gateway.sqs.action.ReceiveMessage;
import io.delayqueue.gateway.sqs.action.SendMessage;
import io.delayqueue.gateway.sqs.action.SqsAction;
import io.delayqueue.gateway.sqs.action.SqsConsumers;
import io.delayqueue.gateway.sqs.dead.DeadHolds;
import io.delayqueue.gateway.sqs.dead.DeadMessages;
import io.delayqueue.gateway.sqs.dead.DeadReceives;
import io.delayqueue.gateway.sqs.dead.DeadTimer;
import io.delayqueue.gateway.sqs.dead.MoveActions;
import io.delayqueue.gateway.sqs.dead.MoveTaskStore;
import io.delayqueue.gateway.sqs.dead.Moves;
import io.delayqueue.gateway.sqs.endpoint.SqsActions;
import io.delayqueue.gateway.sqs.endpoint.SqsCallers;
import io.delayqueue.gateway.sqs.endpoint.SqsFilter;
import io.delayqueue.gateway.sqs.endpoint.SqsPaths;
import io.delayqueue.gateway.sqs.queue.QueueActions;
import io.delayqueue.gateway.sqs.queue.QueueCall;
import io.delayqueue.gateway.sqs.queue.QueueNames;
import io.delayqueue.gateway.sqs.queue.QueueStore;
import io.delayqueue.gateway.sqs.queue.Queues;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.web.servlet.DispatcherServlet;
import tools.jackson.databind.node.ObjectNode;

/** Auto-configuration of the endpoint for SQS clients, in servlet applications that enable it. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "delayqueue.gateway.sqs.enabled")
@ConditionalOnBean(DelayQueueClient.class)
@EnableConfigurationProperties({GatewayProperties.class, SqsProperties.class})
public final class SqsAutoConfiguration {

    private static final long GRACE_MILLIS = 5_000;

    @Bean
    SqsCallers delayQueueSqsCallers(SqsProperties properties, GatewayProperties gateway) {
        SqsPropertyRules.check(properties);
        Map<String, SqsCallers.Key> keys = new LinkedHashMap<>();
        properties
                .getKeys()
                .forEach((id, key) -> keys.put(
                        id,
                        new SqsCallers.Key(
                                key.getSecret(), new Caller(id, new TopicRights(key.getRights(), key.getTopics())))));
        boolean open = gateway.isOpen() && keys.isEmpty();
        if (keys.isEmpty() && !open) {
            throw OpenGatewayException.withoutKeys();
        }
        return new SqsCallers(
                keys,
                open ? new Caller("everyone", Rights.ALL) : null,
                new RequestRates(gateway.getMaxRequestsPerSecond()),
                Clock.systemUTC());
    }

    @Bean
    Queues delayQueueSqsQueues(
            DelayQueueClient client,
            SqsProperties properties,
            @Qualifier(DelayQueueAutoConfiguration.CONNECTION_FACTORY)
                    ObjectProvider<RedisConnectionFactory> ownConnectionFactory,
            ObjectProvider<RedisConnectionFactory> connectionFactories) {
        Map<String, String> topics = new LinkedHashMap<>();
        properties.getQueues().forEach((queue, value) -> topics.put(queue, value.getTopic()));
        return new Queues(
                client,
                new QueueNames(topics, properties.getDeadSuffix()),
                new QueueStore(
                        template(ownConnectionFactory, connectionFactories),
                        client.options().keyPrefix()));
    }

    @Bean
    DeadTimer delayQueueSqsDeadTimer() {
        return new DeadTimer();
    }

    @Bean
    DeadMessages delayQueueSqsDeadMessages(
            DelayQueueClient client,
            SqsProperties properties,
            Queues queues,
            SqsConsumers consumers,
            DeadTimer timer,
            @Qualifier(DelayQueueAutoConfiguration.CONNECTION_FACTORY)
                    ObjectProvider<RedisConnectionFactory> ownConnectionFactory,
            ObjectProvider<RedisConnectionFactory> connectionFactories) {
        DeadHolds holds = new DeadHolds(
                template(ownConnectionFactory, connectionFactories),
                client.options().keyPrefix());
        ReceiveMessage requests = new ReceiveMessage(consumers, queues::ofDeadLetters);
        return new DeadMessages(
                client,
                holds,
                new DeadReceives(
                        client,
                        holds,
                        timer,
                        requests,
                        topic -> QueueNames.arn(
                                properties.getRegion(), queues.names().queue(topic))));
    }

    @Bean
    MoveActions delayQueueSqsMoveActions(
            DelayQueueClient client,
            SqsProperties properties,
            Queues queues,
            DeadTimer timer,
            @Qualifier(DelayQueueAutoConfiguration.CONNECTION_FACTORY)
                    ObjectProvider<RedisConnectionFactory> ownConnectionFactory,
            ObjectProvider<RedisConnectionFactory> connectionFactories) {
        MoveTaskStore store = new MoveTaskStore(
                template(ownConnectionFactory, connectionFactories),
                client.options().keyPrefix());
        return new MoveActions(
                client,
                queues,
                store,
                new Moves(client, store, timer),
                queue -> QueueNames.arn(properties.getRegion(), queue));
    }

    /** Not a bean: the application may have one of this type. */
    private static StringRedisTemplate template(
            ObjectProvider<RedisConnectionFactory> own, ObjectProvider<RedisConnectionFactory> all) {
        return new StringRedisTemplate(own.getIfAvailable(all::getObject));
    }

    @Bean
    SqsConsumers delayQueueSqsConsumers(DelayQueueClient client, SqsProperties properties, Queues queues) {
        return new SqsConsumers(
                client,
                properties.getDeliveryLease(),
                topic -> Objects.requireNonNullElse(
                        queues.ofTopic(topic).maxReceiveCount(), properties.getMaxReceiveCount()));
    }

    @Bean
    FilterRegistrationBean<SqsFilter> delayQueueSqsFilter(
            DelayQueueClient client,
            SqsProperties properties,
            SqsCallers callers,
            Queues queues,
            SqsConsumers consumers,
            DeadMessages deadMessages,
            MoveActions moves) {
        SqsPaths paths = new SqsPaths(properties.getPath(), properties.getUrl());
        SqsFilter filter = new SqsFilter(
                paths,
                callers,
                actions(
                        client,
                        queues,
                        consumers,
                        actionsOnQueues(
                                new QueueActions(client, queues, properties.getRegion(), Clock.systemUTC()), moves),
                        deadMessages),
                Math.toIntExact(properties.getMaxBody().toBytes()),
                client.options().commandTimeout().toMillis() + GRACE_MILLIS);
        FilterRegistrationBean<SqsFilter> registration = new FilterRegistrationBean<>(filter);
        registration.addUrlPatterns("/*");
        registration.setAsyncSupported(true);
        // behind the filter of observations, before all that may read a body
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 10);
        return registration;
    }

    private static Function<String, @Nullable Function<QueueCall, ObjectNode>> actionsOnQueues(
            QueueActions queueActions, MoveActions moves) {
        return name -> {
            Function<QueueCall, ObjectNode> found = queueActions.find(name);
            return found == null ? moves.find(name) : found;
        };
    }

    private static SqsActions actions(
            DelayQueueClient client,
            Queues queues,
            SqsConsumers consumers,
            Function<String, @Nullable Function<QueueCall, ObjectNode>> actionsOnQueues,
            DeadMessages deadMessages) {
        SqsAction send = new SendMessage(client, topic -> queues.ofTopic(topic).delay());
        SqsAction delete = new DeleteMessage(consumers);
        SqsAction change = new ChangeMessageVisibility(consumers);
        return new SqsActions(
                queues,
                actionsOnQueues,
                Map.of(
                        "SendMessage",
                        send,
                        "SendMessageBatch",
                        new Batch(send),
                        "DeleteMessage",
                        delete,
                        "DeleteMessageBatch",
                        new Batch(delete),
                        "ChangeMessageVisibility",
                        change,
                        "ChangeMessageVisibilityBatch",
                        new Batch(change)),
                deadMessages,
                new ReceiveMessage(consumers, queues::ofTopic),
                consumers);
    }
}
