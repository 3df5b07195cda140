package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullOptions;
import io.delayqueue.gateway.GatewayProperties;
import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.http.ClaimsController;
import io.delayqueue.gateway.http.MessageScheduling;
import io.delayqueue.gateway.http.MessagesController;
import io.delayqueue.gateway.http.NoJournalController;
import io.delayqueue.gateway.http.OpenApiController;
import io.delayqueue.gateway.http.OwnThreadSender;
import io.delayqueue.gateway.http.ProblemAdvice;
import io.delayqueue.gateway.http.SettlementsController;
import io.delayqueue.gateway.http.TopicsController;
import io.delayqueue.gateway.http.UnknownRequestsController;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.BoundedBody;
import io.delayqueue.gateway.http.body.Json;
import io.delayqueue.gateway.http.idempotency.IdempotencyStore;
import io.delayqueue.gateway.http.idempotency.IdempotentCalls;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.http.problem.Problems;
import io.delayqueue.gateway.http.request.BodiesOnTheirWay;
import io.delayqueue.gateway.http.request.BodyArrivalFilter;
import io.delayqueue.gateway.http.request.BodyFilter;
import io.delayqueue.gateway.http.request.BoundedCalls;
import io.delayqueue.gateway.http.request.CallerArgumentResolver;
import io.delayqueue.gateway.http.request.CallerFilter;
import io.delayqueue.gateway.security.ByteBudget;
import io.delayqueue.gateway.security.Callers;
import io.delayqueue.gateway.security.RequestRates;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
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
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.util.unit.DataSize;
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

    private static final String STATS_CALLS = "delayQueueGatewayStatsCalls";
    /** Bytes of all bodies that have not come in full. */
    private static final long SLOW_BYTES = DataSize.ofMegabytes(64).toBytes();

    @Bean
    @ConditionalOnMissingBean
    Callers delayQueueCallers(GatewayProperties properties, ListableBeanFactory beans) {
        return ConfiguredCallers.of(properties, beans);
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

    @Bean
    FilterRegistrationBean<BodyArrivalFilter> delayQueueGatewayBodyArrivalFilter(
            BoundedBody bodies,
            Answers answers,
            GatewayProperties properties,
            ObjectProvider<DispatcherServletRegistrationBean> servlets) {
        BodiesOnTheirWay onTheirWay =
                new BodiesOnTheirWay(properties.getMaxIncomingBodies(), Math.max(SLOW_BYTES, 2L * bodies.maxBytes()));
        FilterRegistrationBean<BodyArrivalFilter> registration =
                new FilterRegistrationBean<>(new BodyArrivalFilter(bodies, onTheirWay, answers));
        // containers call the filters of a servlet behind those of paths, whatever their order
        servlets.forEach(registration::addServletRegistrationBeans);
        return registration;
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
    PullConsumers delayQueuePullConsumers(
            DelayQueueClient client, GatewayProperties properties, AnswerThreads answers) {
        GatewayProperties.Claims claims = properties.getClaims();
        PullOptions options = PullOptions.builder()
                .lease(claims.getDeliveryLease())
                .maxAttempts(claims.getMaxAttempts())
                .maxWaiting(claims.getMaxWaiting())
                .build();
        return new PullConsumers(client, options, claims.getIdleTimeout(), answers);
    }

    @Bean
    IdempotencyStore delayQueueIdempotencyStore(
            @Qualifier(DelayQueueAutoConfiguration.CONNECTION_FACTORY)
                    ObjectProvider<RedisConnectionFactory> ownConnectionFactory,
            ObjectProvider<RedisConnectionFactory> connectionFactories,
            DelayQueueClient client,
            GatewayProperties properties,
            Answers answers) {
        RedisConnectionFactory factory = ownConnectionFactory.getIfAvailable(connectionFactories::getObject);
        return new IdempotencyStore(
                // the starter's client needs Lettuce, too, whose factory is both
                new ReactiveStringRedisTemplate((ReactiveRedisConnectionFactory) factory),
                client.options().keyPrefix(),
                properties.getIdempotency().getRetention(),
                client.options().commandTimeout(),
                answers.json());
    }

    @Bean
    IdempotentCalls delayQueueIdempotentCalls(
            DelayQueueClient client, IdempotencyStore store, GatewayProperties properties, Answers answers) {
        return new IdempotentCalls(
                client, store, answers, properties.getIdempotency().getLost(), Clock.systemUTC());
    }

    @Bean
    MessagesController delayQueueMessagesController(
            DelayQueueClient client,
            OwnThreadSender sender,
            IdempotentCalls calls,
            BoundedBody bodies,
            Answers answers,
            GatewayProperties properties) {
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
        DataSize memory = properties.getClaims().getMaxAnswerMemory();
        ByteBudget budget = new ByteBudget(memory == null ? Runtime.getRuntime().maxMemory() / 16 : memory.toBytes());
        return new ClaimsController(client, consumers, properties.getClaims(), budget, bodies, answers);
    }

    @Bean
    SettlementsController delayQueueSettlementsController(
            PullConsumers consumers, BoundedBody bodies, Answers answers) {
        return new SettlementsController(consumers, bodies, answers);
    }

    @Bean
    TopicsController delayQueueTopicsController(
            DelayQueueClient client, @Qualifier(STATS_CALLS) BoundedCalls calls, Answers answers) {
        return new TopicsController(client, calls, answers);
    }

    /** Requests of numbers at once, and those that wait: thousands of topics take some tens of milliseconds. */
    @Bean(STATS_CALLS)
    BoundedCalls delayQueueGatewayStatsCalls(DelayQueueClient client) {
        return new BoundedCalls(
                "delayqueue-gateway-stats", 4, 100, client.options().commandTimeout(), ProblemType.REDIS_UNAVAILABLE);
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
