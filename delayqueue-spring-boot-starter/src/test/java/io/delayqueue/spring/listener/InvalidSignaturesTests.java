package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delivery;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueListenerAutoConfiguration;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.OrderPlaced;
import jakarta.validation.Valid;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.test.util.TestSocketUtils;

/** A listener whose parameters or return type are not accepted fails the start. No Redis is needed. */
class InvalidSignaturesTests {

    private final ApplicationContextRunner runner = Contexts.runner(TestSocketUtils.findAvailableTcpPort());

    @Test
    void twoPayloadParameters() {
        StartFailures.failsFor(runner, TwoPayloads.class, "parameters", "has 2 payload parameters");
    }

    @Test
    void unsupportedParameter() {
        StartFailures.failsFor(
                runner,
                TakesTemplate.class,
                "parameters",
                "can't take parameter 1 of type " + DelayQueueOperations.class.getName());
        StartFailures.failsFor(
                runner,
                TakesFuture.class,
                "parameters",
                "can't take parameter 0 of type java.util.concurrent.CompletableFuture");
        StartFailures.failsFor(runner, TakesTypeVariable.class, "parameters", "can't take parameter 0 of type T");
        StartFailures.failsFor(
                runner, HeadersIntoList.class, "parameters", "can't take parameter 0 of type java.util.List");
        StartFailures.failsFor(runner, PayloadExpression.class, "parameters", "@Payload with an expression");
    }

    @Test
    void unsupportedReturnType() {
        StartFailures.failsFor(
                runner,
                ReturnsString.class,
                "return type",
                "is java.lang.String, but must be void, CompletionStage or Mono");
    }

    @Test
    void asyncMethodThatIsNotAwaited() {
        StartFailures.failsFor(runner, AsyncVoid.class, "return type", "is void of an @Async method");
        StartFailures.failsFor(runner, ComposedAsync.class, "return type", "is void of an @Async method");
        StartFailures.failsFor(
                runner, AsyncStage.class, "return type", "is java.util.concurrent.CompletionStage of an @Async method");
        runner.withBean(AsyncClass.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContainingAll(
                                AsyncClass.class.getName() + ".on(", "@Async", "Return a CompletableFuture"));
    }

    @Test
    void asyncMethodThatIsRefusedBehindItsProxyToo() {
        runner.withUserConfiguration(AsyncEnabled.class)
                .withBean(AsyncVoid.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContainingAll("AsyncVoid.on(", "is void of an @Async method"));
    }

    @Test
    void validationWithoutAValidator() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        DelayQueueJacksonAutoConfiguration.class,
                        DelayQueueListenerAutoConfiguration.class))
                .withBean(Validates.class)
                .run(context -> assertThat(context).getFailure().hasMessageContaining("there is no Validator"));
    }

    static class TwoPayloads {
        @DelayQueueListener(topic = "work")
        void on(String work, OrderPlaced order) {}
    }

    static class TakesTemplate {
        @DelayQueueListener(topic = "work")
        void on(Delivery delivery, DelayQueueOperations operations) {}
    }

    static class TakesFuture {
        @DelayQueueListener(topic = "work")
        void on(CompletableFuture<String> work) {}
    }

    static class TakesTypeVariable {
        @DelayQueueListener(topic = "work")
        <T> void on(T work) {}
    }

    static class HeadersIntoList {
        @DelayQueueListener(topic = "work")
        void on(@Headers List<Map<String, Object>> headers) {}
    }

    static class PayloadExpression {
        @DelayQueueListener(topic = "work")
        void on(@Payload("#{size()}") String work) {}
    }

    static class ReturnsString {
        @DelayQueueListener(topic = "work")
        String on(String work) {
            return work;
        }
    }

    static class AsyncVoid {
        @Async
        @DelayQueueListener(topic = "work")
        void on(String work) {}
    }

    static class AsyncStage {
        @Async
        @DelayQueueListener(topic = "work")
        CompletionStage<Void> on(String work) {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class ComposedAsync {
        @InBackground
        @DelayQueueListener(topic = "work")
        void on(String work) {}
    }

    @Async
    @Retention(RetentionPolicy.RUNTIME)
    @interface InBackground {}

    @Async
    static class AsyncClass {
        @DelayQueueListener(topic = "work")
        void on(String work) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(proxyTargetClass = true)
    static class AsyncEnabled {}

    static class Validates {
        @DelayQueueListener(topic = "work")
        void on(@Valid OrderPlaced order) {}
    }
}
