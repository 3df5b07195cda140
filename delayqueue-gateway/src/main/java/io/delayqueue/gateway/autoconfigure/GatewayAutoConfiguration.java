package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullOptions;
import io.delayqueue.gateway.GatewayProperties;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.http.CallerArgumentResolver;
import io.delayqueue.gateway.http.ClaimsController;
import io.delayqueue.gateway.http.MessageScheduling;
import io.delayqueue.gateway.http.MessagesController;
import io.delayqueue.gateway.http.ProblemAdvice;
import io.delayqueue.gateway.http.SettlementsController;
import io.delayqueue.gateway.http.TopicsController;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.BoundedBody;
import io.delayqueue.gateway.http.body.Json;
import io.delayqueue.gateway.http.idempotency.IdempotencyStore;
import io.delayqueue.gateway.http.idempotency.IdempotentCalls;
import io.delayqueue.gateway.http.problem.Problems;
import io.delayqueue.gateway.security.BearerTokens;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.Callers;
import io.delayqueue.gateway.security.TopicRights;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Auto-configuration of the HTTP API, in servlet applications that enable it. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "delayqueue.gateway.enabled")
@ConditionalOnBean(DelayQueueClient.class)
@EnableConfigurationProperties(GatewayProperties.class)
public final class GatewayAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Callers delayQueueCallers(GatewayProperties properties) {
        if (!properties.getTokens().isEmpty()) {
            Map<String, Caller> bySha256 = new LinkedHashMap<>();
            properties
                    .getTokens()
                    .forEach((name, token) -> bySha256.put(
                            token.getSha256(),
                            new Caller(name, new TopicRights(token.getRights(), token.getTopics()))));
            return new BearerTokens(bySha256);
        }
        if (!properties.isOpen()) {
            throw new OpenGatewayException();
        }
        return Callers.OPEN;
    }

    @Bean
    Answers delayQueueGatewayAnswers() {
        return new Answers(new Json(), new Problems());
    }

    @Bean
    BoundedBody delayQueueGatewayBodies(GatewayProperties properties) {
        return new BoundedBody(Math.toIntExact(properties.getMaxBody().toBytes()));
    }

    @Bean
    PullConsumers delayQueuePullConsumers(DelayQueueClient client, GatewayProperties properties) {
        GatewayProperties.Claims claims = properties.getClaims();
        PullOptions options = PullOptions.builder()
                .lease(claims.getDeliveryLease())
                .maxAttempts(claims.getMaxAttempts())
                .build();
        return new PullConsumers(client, options, claims.getIdleTimeout());
    }

    @Bean
    IdempotentCalls delayQueueIdempotentCalls(
            @Qualifier(DelayQueueAutoConfiguration.CONNECTION_FACTORY)
                    ObjectProvider<RedisConnectionFactory> ownConnectionFactory,
            ObjectProvider<RedisConnectionFactory> connectionFactories,
            DelayQueueClient client,
            GatewayProperties properties,
            Answers answers) {
        RedisConnectionFactory factory = ownConnectionFactory.getIfAvailable(connectionFactories::getObject);
        GatewayProperties.Idempotency idempotency = properties.getIdempotency();
        IdempotencyStore store = new IdempotencyStore(
                new StringRedisTemplate(factory),
                client.options().keyPrefix(),
                idempotency.getRetention(),
                answers.json());
        return new IdempotentCalls(store, answers, idempotency.getLost(), Clock.systemUTC());
    }

    @Bean
    MessagesController delayQueueMessagesController(
            DelayQueueClient client,
            IdempotentCalls calls,
            BoundedBody bodies,
            Answers answers,
            GatewayProperties properties) {
        MessageScheduling scheduling = new MessageScheduling(client, answers, properties.getMaxBatch());
        return new MessagesController(client, scheduling, calls, bodies, answers);
    }

    @Bean
    ClaimsController delayQueueClaimsController(
            DelayQueueClient client,
            PullConsumers consumers,
            GatewayProperties properties,
            BoundedBody bodies,
            Answers answers) {
        return new ClaimsController(client, consumers, properties.getClaims(), bodies, answers);
    }

    @Bean
    SettlementsController delayQueueSettlementsController(
            PullConsumers consumers, BoundedBody bodies, Answers answers) {
        return new SettlementsController(consumers, bodies, answers);
    }

    @Bean
    TopicsController delayQueueTopicsController(DelayQueueClient client, Answers answers) {
        return new TopicsController(client, answers);
    }

    @Bean
    ProblemAdvice delayQueueProblemAdvice(Answers answers) {
        return new ProblemAdvice(answers);
    }

    @Bean
    WebMvcConfigurer delayQueueGatewayArguments(Callers callers) {
        return new WebMvcConfigurer() {
            @Override
            public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
                resolvers.add(new CallerArgumentResolver(callers));
            }
        };
    }
}
