package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullOptions;
import io.delayqueue.gateway.GatewayProperties;
import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.http.OwnThreadSender;
import io.delayqueue.gateway.security.ByteBudget;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.security.RefusedRequests;
import io.delayqueue.gateway.security.RequestRates;
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
import io.delayqueue.gateway.sqs.endpoint.RequestLimits;
import io.delayqueue.gateway.sqs.endpoint.SqsActions;
import io.delayqueue.gateway.sqs.endpoint.SqsCallers;
import io.delayqueue.gateway.sqs.endpoint.SqsFilter;
import io.delayqueue.gateway.sqs.endpoint.SqsPaths;
import io.delayqueue.gateway.sqs.limit.BlockingCalls;
import io.delayqueue.gateway.sqs.limit.LongCalls;
import io.delayqueue.gateway.sqs.limit.TopicsInUse;
import io.delayqueue.gateway.sqs.protocol.CountedErrors;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.queue.QueueActions;
import io.delayqueue.gateway.sqs.queue.QueueCall;
import io.delayqueue.gateway.sqs.queue.QueueLookups;
import io.delayqueue.gateway.sqs.queue.QueueNames;
import io.delayqueue.gateway.sqs.queue.QueueSettings;
import io.delayqueue.gateway.sqs.queue.QueueStore;
import io.delayqueue.gateway.sqs.queue.Queues;
import io.delayqueue.gateway.sqs.redis.BoundedRedis;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
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
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.util.unit.DataSize;
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

    /** A command of a lookup ends by itself before that. */
    private static final Duration LOOKUP_GRACE = Duration.ofSeconds(2);

    private static final int MAX_BLOCKING_CALLS = 32;

    /** Queues that are deleted or purged at once. Each takes a thread of its own for as long as it has messages. */
    private static final int MAX_REMOVALS = 8;

    /** Clients of SQS wait for 30 s or longer. */
    private static final Duration REMOVAL_ANSWERED = Duration.ofSeconds(20);

    @Bean
    SqsCallers delayQueueSqsCallers(SqsProperties properties, GatewayProperties gateway) {
        SqsPropertyRules.check(properties);
        ConfiguredKeys keys = new ConfiguredKeys(properties);
        boolean open = gateway.isOpen() && keys.isEmpty();
        if (keys.isEmpty() && !open) {
            throw OpenGatewayException.withoutKeys();
        }
        return new SqsCallers(
                keys::find,
                open ? Caller.EVERYONE : null,
                new RequestRates(gateway.getMaxRequestsPerSecond()),
                Clock.systemUTC());
    }

    @Bean
    BoundedRedis delayQueueSqsRedis(
            DelayQueueClient client,
            @Qualifier(DelayQueueAutoConfiguration.CONNECTION_FACTORY)
                    ObjectProvider<RedisConnectionFactory> ownConnectionFactory,
            ObjectProvider<RedisConnectionFactory> connectionFactories) {
        RedisConnectionFactory factory = ownConnectionFactory.getIfAvailable(connectionFactories::getObject);
        return new BoundedRedis(
                // the starter's client needs Lettuce, too, whose factory is both; not a bean: the application may have
                // one
                new ReactiveStringRedisTemplate((ReactiveRedisConnectionFactory) factory),
                client.options().keyPrefix(),
                client.options().commandTimeout());
    }

    @Bean
    Queues delayQueueSqsQueues(DelayQueueClient client, SqsProperties properties, BoundedRedis redis) {
        SqsPropertyRules.check(properties);
        Map<String, String> topics = new LinkedHashMap<>();
        properties.getQueues().forEach((queue, value) -> topics.put(queue, value.getTopic()));
        return new Queues(client, new QueueNames(topics, properties.getDeadSuffix()), new QueueStore(redis));
    }

    @Bean
    QueueLookups delayQueueSqsLookups(Queues queues, DelayQueueClient client) {
        return new QueueLookups(queues, client.options().commandTimeout().plus(LOOKUP_GRACE));
    }

    @Bean
    BlockingCalls delayQueueSqsBlockingCalls() {
        return new BlockingCalls("delayqueue-sqs-call", MAX_BLOCKING_CALLS);
    }

    @Bean
    DeadTimer delayQueueSqsDeadTimer() {
        return new DeadTimer("delayqueue-sqs-dead");
    }

    @Bean
    DeadTimer delayQueueSqsMoveTimer() {
        return new DeadTimer("delayqueue-sqs-move");
    }

    @Bean
    MoveTaskStore delayQueueSqsMoveTasks(BoundedRedis redis) {
        return new MoveTaskStore(redis);
    }

    @Bean
    Moves delayQueueSqsMoves(
            DelayQueueClient client,
            Queues queues,
            MoveTaskStore store,
            @Qualifier("delayQueueSqsMoveTimer") DeadTimer timer) {
        return new Moves(client, queues.names(), store, timer);
    }

    @Bean
    SqsConsumers delayQueueSqsConsumers(
            DelayQueueClient client, SqsProperties properties, Queues queues, AnswerThreads answers) {
        return new SqsConsumers(
                client,
                properties.getDeliveryLease(),
                new TopicsInUse(properties.getMaxQueuesInUsePerKey()),
                new CallerShares(PullOptions.DEFAULT_MAX_WAITING),
                topic -> {
                    QueueSettings settings = queues.ofTopic(topic);
                    return new SqsConsumers.Terms(
                            Objects.requireNonNullElse(settings.maxReceiveCount(), properties.getMaxReceiveCount()),
                            settings.visibilityTimeout());
                },
                answers);
    }

    @Bean
    LongCalls<ObjectNode> delayQueueSqsRemovals() {
        return new LongCalls<>("delayqueue-sqs-removal", MAX_REMOVALS, REMOVAL_ANSWERED);
    }

    @Bean
    SqsActions delayQueueSqsActions(
            DelayQueueClient client,
            SqsProperties properties,
            Queues queues,
            SqsConsumers consumers,
            BoundedRedis redis,
            MoveTaskStore moveTasks,
            Moves moves,
            @Qualifier("delayQueueSqsDeadTimer") DeadTimer timer,
            QueueLookups lookups,
            BlockingCalls blocking,
            LongCalls<ObjectNode> removals,
            OwnThreadSender sender) {
        ByteBudget answers = new ByteBudget(bytes(properties.getMaxAnswerMemory()));
        DeadHolds holds = new DeadHolds(redis);
        UnaryOperator<String> arn = queue -> QueueNames.arn(properties.getRegion(), queue);
        QueueActions onQueues = new QueueActions(
                client, queues, properties.getRegion(), properties.getMaxQueuesPerKey(), Clock.systemUTC());
        MoveActions onMoves = new MoveActions(client, queues, moveTasks, moves, arn);
        return new SqsActions(
                queues,
                lookups,
                name -> {
                    Function<QueueCall, ObjectNode> found = onQueues.find(name);
                    return found == null ? onMoves.find(name) : found;
                },
                onMessages(sends(sender), queues, consumers),
                new DeadMessages(client, holds),
                new DeadReceives(
                        client,
                        holds,
                        timer,
                        answers,
                        properties.getDeliveryLease(),
                        new ReceiveMessage(consumers, answers, queues::ofDeadLetters),
                        topic -> arn.apply(queues.names().queue(topic))),
                new ReceiveMessage(consumers, answers, queues::ofTopic),
                consumers,
                blocking,
                removals);
    }

    private static SendMessage.Sender sends(OwnThreadSender sender) {
        return sender.isImmediate() ? sender::scheduleAsync : new JournalledSends(sender);
    }

    private static Map<String, SqsAction> onMessages(SendMessage.Sender sender, Queues queues, SqsConsumers consumers) {
        SqsAction send = new SendMessage(sender, topic -> queues.ofTopic(topic).delay());
        DeleteMessage delete = new DeleteMessage(consumers);
        SqsAction change = new ChangeMessageVisibility(consumers);
        return Map.of(
                "SendMessage",
                send,
                "SendMessageBatch",
                Batch.of(send),
                "DeleteMessage",
                delete,
                "DeleteMessageBatch",
                Batch.ofAll(delete::performAll),
                "ChangeMessageVisibility",
                change,
                "ChangeMessageVisibilityBatch",
                Batch.of(change));
    }

    private static long bytes(@Nullable DataSize size) {
        return size == null ? Runtime.getRuntime().maxMemory() / 16 : size.toBytes();
    }

    @Bean
    RefusedRequests delayQueueSqsRefusedRequests() {
        return new RefusedRequests(
                CountedErrors.REFUSALS.stream().map(SqsError::shape).toList());
    }

    @Bean
    FilterRegistrationBean<SqsFilter> delayQueueSqsFilter(
            DelayQueueClient client,
            SqsProperties properties,
            SqsCallers callers,
            SqsActions actions,
            RefusedRequests refused) {
        RequestLimits limits = new RequestLimits(
                Math.toIntExact(properties.getMaxBody().toBytes()),
                properties.getBodyTimeout(),
                bytes(properties.getMaxRequestMemory()),
                properties.getAnswerTimeout(),
                client.options().commandTimeout().toMillis() + GRACE_MILLIS);
        SqsPaths paths = new SqsPaths(properties.getPath(), properties.getUrl());
        SqsFilter filter = new SqsFilter(paths, callers, actions, limits, refused);
        FilterRegistrationBean<SqsFilter> registration = new FilterRegistrationBean<>(filter);
        registration.addUrlPatterns("/*");
        registration.setAsyncSupported(true);
        // behind the filter of observations, before all that may read a body
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 10);
        return registration;
    }
}
