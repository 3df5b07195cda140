package io.delayqueue.gateway.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.actuate.CallbacksEndpoint;
import io.delayqueue.gateway.callback.CallbackTargets;
import io.delayqueue.gateway.callback.Callbacks;
import io.delayqueue.gateway.callback.InvalidCallbackException;
import io.delayqueue.gateway.callback.TargetState;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.util.List;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.io.support.SpringFactoriesLoader;

@ExtendWith(EmbeddedRedisExtension.class)
class CallbacksAutoConfigurationTests {

    private static final String SECRET = "delayqueue.callbacks.hooks.secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String URL = "delayqueue.callbacks.hooks.url=https://hook.example.com/in";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DelayQueueJacksonAutoConfiguration.class,
                    DelayQueueAutoConfiguration.class,
                    CallbacksAutoConfiguration.class))
            // the first command connects
            .withPropertyValues("delayqueue.command-timeout=20s");

    @Test
    void nothingIsThereWithoutTopics() {
        runner.withPropertyValues("delayqueue.gateway.callbacks.allow-http=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Callbacks.class));
    }

    @Test
    void aTopicIsEnough(EmbeddedRedis redis) {
        runner.withPropertyValues("spring.data.redis.url=" + redis.uri(), URL, SECRET)
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(CallbackTargets.class);
                    assertThat(context.getBean(Callbacks.class).isRunning()).isTrue();
                });
    }

    @Test
    void operatorsHaveAnEndpoint(EmbeddedRedis redis) {
        runner.withConfiguration(AutoConfigurations.of(CallbacksEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.url=" + redis.uri(),
                        URL,
                        SECRET,
                        "management.endpoints.web.exposure.include=delayqueuecallbacks")
                .run(context -> {
                    CallbacksEndpoint endpoint = context.getBean(CallbacksEndpoint.class);
                    endpoint.pause("hook.example.com");
                    assertThat(endpoint.targets()).containsEntry("hook.example.com", TargetState.PAUSED);
                    endpoint.resume("hook.example.com");
                    assertThat(endpoint.targets()).doesNotContainKey("hook.example.com");
                    assertThat(endpoint.replay("hooks", "2026-01-01T00:00:00Z", "2100-01-01T00:00:00Z"))
                            .containsEntry("replayed", 0L);
                    assertThatThrownBy(() -> endpoint.replay("hooks", "yesterday", "today"))
                            .isInstanceOf(InvalidEndpointRequestException.class);
                });
    }

    /** A caller of the management port can read, and can stop no callbacks. */
    @Test
    void theEndpointOnlyReadsUnlessItsAccessIsUnrestricted(EmbeddedRedis redis) {
        WebApplicationContextRunner withEndpoint = new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        JacksonAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        DelayQueueJacksonAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        CallbacksAutoConfiguration.class,
                        CallbacksEndpointAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        WebEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.url=" + redis.uri(),
                        URL,
                        SECRET,
                        "management.endpoints.web.exposure.include=delayqueuecallbacks");

        withEndpoint.run(context -> assertThat(writes(context)).isEmpty());
        withEndpoint
                .withPropertyValues("management.endpoint.delayqueuecallbacks.access=UNRESTRICTED")
                .run(context -> assertThat(writes(context)).hasSize(3));
    }

    private static List<WebOperation> writes(ApplicationContext context) {
        return context.getBean(WebEndpointsSupplier.class).getEndpoints().stream()
                .flatMap(endpoint -> endpoint.getOperations().stream())
                .filter(operation -> operation.getType() != OperationType.READ)
                .toList();
    }

    @Test
    void theQueueCanBeSwitchedOff() {
        runner.withPropertyValues(URL, SECRET, "delayqueue.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Callbacks.class));
    }

    @Test
    void aMissingHttpClientIsNamed() {
        runner.withPropertyValues(URL, SECRET)
                .withClassLoader(new FilteredClassLoader(CloseableHttpAsyncClient.class))
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidCallbackException.class)
                        .hasMessageContaining("httpclient5"));
    }

    @Test
    void aWrongTargetIsDescribed() {
        runner.withPropertyValues("delayqueue.callbacks.hooks.url=https://192.168.1.1/", SECRET)
                .run(context -> {
                    assertThat(context).hasFailed();
                    FailureAnalysis analysis = analyze(context.getStartupFailure());
                    assertThat(analysis.getDescription())
                            .contains("delayqueue.callbacks.hooks.url", "address to which callbacks are not sent");
                    assertThat(analysis.getAction()).contains("allowed-ranges");
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "delayqueue.callbacks.orders.eu.url=https://hook.example.com/",
                "delayqueue.callbacks.hooks.allow-any-url=true",
                "delayqueue.gateway.callbacks.flows.hook.example.com.rate=1",
                "delayqueue.gateway.callbacks.allow-https=true"
            })
    void aPropertyThatSetsNothingIsNamed(String property) {
        runner.withPropertyValues(URL, SECRET, property)
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidCallbackException.class)
                        .hasMessageContaining(property.substring(0, property.indexOf('='))));
    }

    private static FailureAnalysis analyze(Throwable failure) {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, (type, name, error) -> {})
                .stream()
                .filter(analyzer -> analyzer.getClass().getName().startsWith("io.delayqueue"))
                .map(analyzer -> analyzer.analyze(failure))
                .filter(analysis -> analysis != null)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void wrongMessagesAreRefusedBeforeRedis(EmbeddedRedis redis) {
        runner.withPropertyValues("spring.data.redis.url=" + redis.uri(), URL, SECRET)
                .run(context -> {
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    DelayQueueClient client = context.getBean(DelayQueueClient.class);
                    OutgoingMessage message = OutgoingMessage.to("hooks")
                            .payload(new byte[0])
                            .header("x", "a\r\nb")
                            .build();

                    assertRefused(() ->
                            template.message("hooks", 1).header("x", "a\nb").schedule());
                    assertRefused(() -> template.schedule(message));
                    assertRefused(() -> template.scheduleAsync(message));
                    assertRefused(() -> template.scheduleAll(List.of(message)));
                    assertRefused(() -> client.schedule(message));
                    assertThat(client.topics()).doesNotContain("others");
                    assertThat(client.stats("hooks").totals().accepted()).isZero();
                });
    }

    private static void assertRefused(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("header 'x'");
    }

    @Test
    void wrongMessagesAre400OverHttp(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(redis, URL, SECRET)) {
            String path = "/topics/hooks/messages";
            String wrong = "{\"payload\": 1, \"headers\": {\"x\": \"a\\r\\nb\"}}";
            assertThat(gateway.send("POST", path, wrong).status()).isEqualTo(400);
            Gateway.Reply batch = gateway.send("POST", path, "[" + wrong + ", {\"payload\": 2, \"delay\": \"PT1H\"}]");
            assertThat(batch.status()).isEqualTo(200);
            assertThat(batch.json().at("/results/0/status").intValue()).isEqualTo(400);
            assertThat(batch.json().at("/results/1/status").intValue()).isEqualTo(201);
            assertThat(gateway.client().stats("hooks").totals().accepted()).isEqualTo(1);
        }
    }
}
