package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.Filter;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/** Claims in an application whose filters keep answers, or look at them. */
@ExtendWith(EmbeddedRedisExtension.class)
class ClaimsBehindFiltersTests {

    private static final Duration WAIT = Duration.ofSeconds(40);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class KeepingApplication {

        /** Keeps each answer until the request ends, and writes it then. */
        @Bean
        FilterRegistrationBean<ShallowEtagHeaderFilter> keepingFilter() {
            return first(new ShallowEtagHeaderFilter());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ObservingApplication {

        private final AtomicInteger started = new AtomicInteger();
        private final AtomicInteger stopped = new AtomicInteger();
        private final Set<Observation.Context> ended = ConcurrentHashMap.newKeySet();

        @Bean
        FilterRegistrationBean<ServerHttpObservationFilter> observingFilter() {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
                @Override
                public void onStart(Observation.Context context) {
                    started.incrementAndGet();
                }

                @Override
                public void onStop(Observation.Context context) {
                    stopped.incrementAndGet();
                    ended.add(context);
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return true;
                }
            });
            return first(new ServerHttpObservationFilter(registry));
        }
    }

    /** Before the gateway's filters, as Spring Boot orders its own. */
    private static <F extends Filter> FilterRegistrationBean<F> first(F filter) {
        FilterRegistrationBean<F> registration = new FilterRegistrationBean<>(filter);
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return registration;
    }

    /** Of a claim that waits, and of one that does not. */
    private static void claimTwice(Gateway gateway) throws Exception {
        PullConsumers consumers = gateway.context().getBean(PullConsumers.class);
        CompletableFuture<Reply> waiting =
                gateway.sendAsync("POST", "/topics/orders/claims", "{\"wait\": 30, \"lease\": 600}");
        await().atMost(WAIT).until(() -> consumers.callsUnderWay("orders") == 1);
        schedule(gateway, "first");
        assertOneMessage(waiting.get(WAIT.toSeconds(), TimeUnit.SECONDS), "first");
        schedule(gateway, "second");
        assertOneMessage(gateway.send("POST", "/topics/orders/claims", "{\"wait\": 30}"), "second");
    }

    private static void schedule(Gateway gateway, String id) {
        gateway.client()
                .schedule(OutgoingMessage.to("orders")
                        .id(id)
                        .payload(new byte[100_000])
                        .build());
    }

    private static void assertOneMessage(Reply reply, String id) {
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json().get("messages")).hasSize(1);
        assertThat(reply.json().at("/messages/0/id").stringValue()).isEqualTo(id);
    }

    @Test
    void filterThatKeepsAnswersWritesThem(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(KeepingApplication.class, redis)) {
            claimTwice(gateway);
        }
    }

    @Test
    void observationsEndOnceForEachRequest(EmbeddedRedis redis) throws Exception {
        ObservingApplication application;
        try (Gateway gateway = Gateway.start(ObservingApplication.class, redis)) {
            claimTwice(gateway);
            application = gateway.context().getBean(ObservingApplication.class);
            await().atMost(WAIT).until(() -> application.ended.size() == 2);
        }
        // all is over: an end that comes twice has come
        assertThat(application.started).hasValue(2);
        assertThat(application.stopped).hasValue(2);
    }
}
