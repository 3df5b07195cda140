package io.delayqueue.gateway.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullOptions;
import io.delayqueue.gateway.GatewayProperties;
import io.delayqueue.gateway.http.MessagesController;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.Callers;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.security.TopicRights;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;

@ExtendWith(EmbeddedRedisExtension.class)
class GatewayAutoConfigurationTests {

    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DelayQueueJacksonAutoConfiguration.class,
                    DelayQueueAutoConfiguration.class,
                    GatewaySenderAutoConfiguration.class,
                    GatewayAutoConfiguration.class));

    @Test
    void gatewayIsOffByDefault() {
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MessagesController.class));
    }

    @Test
    void gatewayRefusesToStartOpen() {
        runner.withPropertyValues("delayqueue.gateway.enabled=true")
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .hasRootCauseInstanceOf(OpenGatewayException.class));
    }

    @Test
    void openGatewayIsAChoice() {
        runner.withPropertyValues("delayqueue.gateway.enabled=true", "delayqueue.gateway.open=true")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(MessagesController.class));
    }

    @Test
    void openGatewayWithTokensIsAContradiction() {
        runner.withPropertyValues(
                        "delayqueue.gateway.enabled=true",
                        "delayqueue.gateway.open=true",
                        "delayqueue.gateway.tokens.shop.sha256=" + "0".repeat(64),
                        "delayqueue.gateway.tokens.shop.rights=produce",
                        "delayqueue.gateway.tokens.shop.topics=*")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(OpenGatewayException.class)
                        .rootCause()
                        .hasMessageContaining("tokens"));
    }

    @Test
    void failureAnalyzerNamesTheWaysOut() {
        runner.withPropertyValues("delayqueue.gateway.enabled=true").run(context -> {
            FailureAnalysis analysis = analyze(context.getStartupFailure());
            assertThat(analysis.getAction())
                    .contains(
                            "delayqueue.gateway.tokens",
                            "delayqueue.gateway.token-file",
                            "DELAYQUEUE_PRODUCER",
                            "delayqueue.gateway.open=true");
        });
    }

    @Test
    void gatewayOnWebFluxIsRefusedWithARemedy() {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GatewayWithoutServletAutoConfiguration.class))
                .withPropertyValues("delayqueue.gateway.enabled=true")
                .run(context -> {
                    assertThat(context).hasFailed();
                    FailureAnalysis analysis = analyze(context.getStartupFailure());
                    assertThat(analysis.getDescription()).contains("WebFlux");
                    assertThat(analysis.getAction()).contains("spring-boot-starter-webmvc");
                });
    }

    @Test
    void webFluxWithoutTheGatewayAndJobsStart() {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GatewayAutoConfiguration.class, GatewayWithoutServletAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed());
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GatewayAutoConfiguration.class, GatewayWithoutServletAutoConfiguration.class))
                .withPropertyValues("delayqueue.gateway.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MessagesController.class));
    }

    private static FailureAnalysis analyze(Throwable failure) {
        for (FailureAnalyzer analyzer : SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, SpringFactoriesLoader.FailureHandler.logging(LogFactory.getLog("test")))) {
            FailureAnalysis analysis = analyzer.analyze(failure);
            if (analysis != null) {
                return analysis;
            }
        }
        throw new AssertionError("no analyzer knows this failure", failure);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "path=delayqueue",
                "path=/",
                "path=/a/",
                "path=/{a}",
                "max-body=0B",
                "max-batch=0",
                "max-requests-per-second=-1",
                "claims.max-messages=513",
                "claims.max-wait=-1s",
                "claims.max-waiting=0",
                "claims.lease=0s",
                "claims.delivery-lease=10ms",
                "claims.answer-timeout=10ms",
                "claims.max-answer-memory=1MB",
                "claims.max-attempts=0",
                "claims.idle-timeout=0s",
                "idempotency.retention=0s",
                "idempotency.lost=25h"
            })
    void propertyOutOfRangeIsNamed(String property) {
        String[] parts = property.split("=", 2);
        String name = "delayqueue.gateway." + parts[0];
        GatewayProperties properties = new Binder(new MapConfigurationPropertySource(Map.of(name, parts[1])))
                .bind("delayqueue.gateway", GatewayProperties.class)
                .get();

        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> GatewayPropertyRules.check(properties))
                .satisfies(refused -> assertThat(refused.getName()).isEqualTo(name));
    }

    @Test
    void defaultsAreInRange() {
        assertThatNoException().isThrownBy(() -> GatewayPropertyRules.check(new GatewayProperties()));
    }

    @Test
    void unreadableTokenFileIsNamed() {
        runner.withPropertyValues(
                        "delayqueue.gateway.enabled=true", "delayqueue.gateway.token-file=/nowhere/tokens.yaml")
                .run(context -> assertThat(analyze(context.getStartupFailure()).getDescription())
                        .contains("delayqueue.gateway.token-file"));
    }

    @Test
    void callersHaveTheirRightsOnly(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(OneProducer.class, redis, "delayqueue.gateway.open=false")) {
            String body = "{\"payload\": 1}";
            assertThat(gateway.send("POST", "/topics/orders/messages", body).status())
                    .isEqualTo(401);
            assertThat(gateway.send("POST", "/topics/orders/messages", body).header("WWW-Authenticate"))
                    .isEqualTo("Bearer");
            assertThat(gateway.send("POST", "/topics/orders/messages", body, "X-Caller", "shop")
                            .status())
                    .isEqualTo(201);
            assertThat(gateway.send("POST", "/topics/mails/messages", body, "X-Caller", "shop")
                            .status())
                    .isEqualTo(403);
            assertThat(gateway.send("POST", "/topics/orders/claims", "{}", "X-Caller", "shop")
                            .status())
                    .isEqualTo(403);
        }
    }

    @Test
    void tokenIsItsCallers(EmbeddedRedis redis) throws Exception {
        // SHA-256 of "abc", from FIPS 180
        String sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        try (Gateway gateway = Gateway.start(
                redis,
                "delayqueue.gateway.tokens.shop.sha256=" + sha256,
                "delayqueue.gateway.tokens.shop.rights=produce",
                "delayqueue.gateway.tokens.shop.topics=ord*")) {
            String path = "/topics/orders/messages";
            String body = "{\"payload\": 1}";
            assertThat(gateway.send("POST", path, body, "Authorization", "Bearer abc")
                            .status())
                    .isEqualTo(201);
            assertThat(gateway.send("POST", path, body, "Authorization", "Bearer abd")
                            .status())
                    .isEqualTo(401);
            assertThat(gateway.send("POST", path, body, "Authorization", "Basic abc")
                            .status())
                    .isEqualTo(401);
            assertThat(gateway.send("POST", path, body).status()).isEqualTo(401);
            assertThat(gateway.send("POST", "/topics/orders/claims", "{}", "Authorization", "Bearer abc")
                            .status())
                    .isEqualTo(403);
            assertThat(gateway.send("GET", "/topics", "", "Authorization", "Bearer abc")
                            .json()
                            .at("/topics/0/topic")
                            .stringValue())
                    .isEqualTo("orders");
        }
    }

    @Test
    void receiptsAndNumbersAreOfTheCallersTopicsOnly(EmbeddedRedis redis) throws Exception {
        // SHA-256 of "abc", from FIPS 180
        String sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        try (Gateway gateway = Gateway.start(
                redis,
                "delayqueue.gateway.tokens.shop.sha256=" + sha256,
                "delayqueue.gateway.tokens.shop.rights=consume",
                "delayqueue.gateway.tokens.shop.topics=ord*")) {
            for (String topic : List.of("orders", "mails")) {
                gateway.client()
                        .schedule(OutgoingMessage.to(topic).payload(new byte[1]).build());
                String receipt = gateway.client()
                        .pullConsumer(topic, PullOptions.defaults())
                        .receive(1, Duration.ofSeconds(30))
                        .get(0)
                        .receipt()
                        .toString();
                int expected = topic.equals("orders") ? 204 : 403;
                for (String call : List.of("/extend {\"lease\": 60}", " ")) {
                    String[] parts = call.split(" ", 2);
                    String method = parts[0].isEmpty() ? "DELETE" : "POST";
                    assertThat(gateway.send(
                                            method,
                                            "/claims/" + receipt + parts[0],
                                            parts[1],
                                            "Authorization",
                                            "Bearer abc")
                                    .status())
                            .as("%s %s of %s", method, parts[0], topic)
                            .isEqualTo(expected);
                }
            }

            assertThat(gateway.send("GET", "/topics", "", "Authorization", "Bearer abc")
                            .json()
                            .at("/topics")
                            .size())
                    .isEqualTo(1);
            assertThat(gateway.send("GET", "/topics/mails", "", "Authorization", "Bearer abc")
                            .status())
                    .isEqualTo(403);
            assertThat(gateway.client().stats("mails").inFlight()).isEqualTo(1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class OneProducer {

        @Bean
        Callers callers() {
            return request -> "shop".equals(request.getHeader("X-Caller"))
                    ? new Caller("shop", new TopicRights(Set.of(Right.PRODUCE), List.of("ord*")))
                    : null;
        }
    }
}
