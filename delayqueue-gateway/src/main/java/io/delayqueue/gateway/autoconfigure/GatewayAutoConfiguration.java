package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullOptions;
import io.delayqueue.gateway.GatewayProperties;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.http.ClaimsController;
import io.delayqueue.gateway.http.MessageScheduling;
import io.delayqueue.gateway.http.MessagesController;
import io.delayqueue.gateway.http.NoJournalController;
import io.delayqueue.gateway.http.OpenApiController;
import io.delayqueue.gateway.http.ProblemAdvice;
import io.delayqueue.gateway.http.SettlementsController;
import io.delayqueue.gateway.http.TopicsController;
import io.delayqueue.gateway.http.UnknownRequestsController;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.BoundedBody;
import io.delayqueue.gateway.http.body.Json;
import io.delayqueue.gateway.http.idempotency.IdempotencyStore;
import io.delayqueue.gateway.http.idempotency.IdempotentCalls;
import io.delayqueue.gateway.http.problem.Problems;
import io.delayqueue.gateway.http.request.BodyFilter;
import io.delayqueue.gateway.http.request.CallerArgumentResolver;
import io.delayqueue.gateway.http.request.CallerFilter;
import io.delayqueue.gateway.security.BearerTokens;
import io.delayqueue.gateway.security.Callers;
import io.delayqueue.gateway.security.FirstOfCallers;
import io.delayqueue.gateway.security.RequestRates;
import io.delayqueue.gateway.security.RoleCallers;
import io.delayqueue.gateway.security.TokenFile;
import io.delayqueue.spring.MessageSender;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.util.ClassUtils;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Auto-configuration of the HTTP API, in servlet applications that enable it. */
@AutoConfiguration(after = {DelayQueueAutoConfiguration.class, GatewayJournalAutoConfiguration.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "delayqueue.gateway.enabled")
@ConditionalOnBean(DelayQueueClient.class)
@EnableConfigurationProperties(GatewayProperties.class)
public final class GatewayAutoConfiguration {

    static final String JOURNAL_CONTROLLER = "delayQueueGatewayJournalController";

    private static final String SECURITY_FILTER_CHAIN = "org.springframework.security.web.SecurityFilterChain";

    @Bean
    @ConditionalOnMissingBean
    Callers delayQueueCallers(GatewayProperties properties, ListableBeanFactory beans) {
        List<Callers> ways = new ArrayList<>();
        try {
            if (!properties.getTokens().isEmpty()) {
                ways.add(BearerTokens.of(properties.getTokens()));
            }
        } catch (IllegalArgumentException e) {
            throw invalid("tokens", properties.getTokens().keySet(), e);
        }
        Path file = properties.getTokenFile();
        try {
            if (file != null) {
                ways.add(new TokenFile(file, TokenFile.INTERVAL));
            }
        } catch (IllegalArgumentException e) {
            throw invalid("token-file", file, e);
        }
        if (properties.isOpen()) {
            if (!ways.isEmpty()) {
                throw OpenGatewayException.withTokens();
            }
            return Callers.OPEN;
        }
        if (hasSpringSecurity(beans)) {
            ways.add(new RoleCallers());
        }
        if (ways.isEmpty()) {
            throw OpenGatewayException.withoutCallers();
        }
        return new FirstOfCallers(ways);
    }

    private static boolean hasSpringSecurity(ListableBeanFactory beans) {
        ClassLoader loader = GatewayAutoConfiguration.class.getClassLoader();
        return ClassUtils.isPresent(SECURITY_FILTER_CHAIN, loader)
                && beans.getBeanNamesForType(ClassUtils.resolveClassName(SECURITY_FILTER_CHAIN, loader), true, false)
                                .length
                        > 0;
    }

    private static InvalidConfigurationPropertyValueException invalid(
            String name, @Nullable Object value, IllegalArgumentException cause) {
        return new InvalidConfigurationPropertyValueException(
                "delayqueue.gateway." + name, value, String.valueOf(cause.getMessage()));
    }

    @Bean
    FilterRegistrationBean<BodyFilter> delayQueueGatewayBodyFilter(
            BoundedBody bodies,
            Answers answers,
            GatewayProperties properties,
            ObjectProvider<DispatcherServletPath> servlet) {
        return filter(new BodyFilter(bodies, answers), BodyFilter.ORDER, properties, servlet);
    }

    @Bean
    FilterRegistrationBean<CallerFilter> delayQueueGatewayCallerFilter(
            Callers callers,
            Answers answers,
            GatewayProperties properties,
            ObjectProvider<DispatcherServletPath> servlet) {
        RequestRates rates = new RequestRates(properties.getMaxRequestsPerSecond());
        return filter(new CallerFilter(callers, rates, answers), CallerFilter.ORDER, properties, servlet);
    }

    private static <F extends Filter> FilterRegistrationBean<F> filter(
            F filter, int order, GatewayProperties properties, ObjectProvider<DispatcherServletPath> servlet) {
        FilterRegistrationBean<F> registration = new FilterRegistrationBean<>(filter);
        DispatcherServletPath path = servlet.getIfAvailable();
        String base = properties.getPath();
        registration.addUrlPatterns((path == null ? base : path.getRelativePath(base)) + "/*");
        registration.setOrder(order);
        return registration;
    }

    @Bean
    Answers delayQueueGatewayAnswers() {
        return new Answers(new Json(), new Problems());
    }

    @Bean
    BoundedBody delayQueueGatewayBodies(GatewayProperties properties) {
        GatewayPropertyRules.check(properties);
        return new BoundedBody(Math.toIntExact(properties.getMaxBody().toBytes()), properties.getBodyTimeout());
    }

    @Bean
    PullConsumers delayQueuePullConsumers(DelayQueueClient client, GatewayProperties properties) {
        GatewayProperties.Claims claims = properties.getClaims();
        PullOptions options = PullOptions.builder()
                .lease(claims.getDeliveryLease())
                .maxAttempts(claims.getMaxAttempts())
                .maxWaiting(claims.getMaxWaiting())
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
                // the starter's client needs Lettuce, too, whose factory is both
                new ReactiveStringRedisTemplate((ReactiveRedisConnectionFactory) factory),
                client.options().keyPrefix(),
                idempotency.getRetention(),
                client.options().commandTimeout(),
                answers.json());
        return new IdempotentCalls(store, answers, idempotency.getLost(), Clock.systemUTC());
    }

    @Bean
    MessagesController delayQueueMessagesController(
            DelayQueueClient client,
            ObjectProvider<MessageSender> senders,
            IdempotentCalls calls,
            BoundedBody bodies,
            Answers answers,
            GatewayProperties properties) {
        // that of a journal, if there is one
        MessageSender sender = senders.getIfUnique(() -> MessageSender.immediate(client));
        MessageScheduling scheduling =
                new MessageScheduling(client.options(), sender, answers, properties.getMaxBatch());
        return new MessagesController(client, sender, scheduling, calls, bodies, answers);
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
    OpenApiController delayQueueOpenApiController(Answers answers) throws IOException {
        return new OpenApiController(answers);
    }

    @Bean
    @ConditionalOnMissingBean(name = JOURNAL_CONTROLLER)
    NoJournalController delayQueueNoJournalController() {
        return new NoJournalController();
    }

    @Bean
    UnknownRequestsController delayQueueUnknownRequestsController(
            ObjectProvider<RequestMappingHandlerMapping> mappings, Answers answers) {
        return new UnknownRequestsController(mappings, answers);
    }

    @Bean
    ProblemAdvice delayQueueProblemAdvice(Answers answers) {
        return new ProblemAdvice(answers);
    }

    @Bean
    WebMvcConfigurer delayQueueGatewayArguments() {
        return new WebMvcConfigurer() {
            @Override
            public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
                resolvers.add(new CallerArgumentResolver());
            }
        };
    }
}
