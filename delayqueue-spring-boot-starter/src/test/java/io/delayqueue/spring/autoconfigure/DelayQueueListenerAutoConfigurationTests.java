package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.PayloadConverter;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.listener.ListenerErrorHandler;
import io.delayqueue.spring.listener.ListenerMethods;
import io.delayqueue.spring.listener.ListenerSettings;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

@ExtendWith(EmbeddedRedisExtension.class)
class DelayQueueListenerAutoConfigurationTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis).withBean("listener", Listener.class);
    }

    @Test
    void listenersAreFoundAndStarted() {
        runner.run(context -> assertThat(context.getBean(DelayQueueListenerEndpointRegistry.class)
                        .containers())
                .singleElement()
                .satisfies(container -> {
                    assertThat(container.id()).isEqualTo("listener.on");
                    assertThat(container.isRunning()).isTrue();
                }));
    }

    @Test
    void nothingListensWhenDisabled() {
        runner.withPropertyValues("delayqueue.enabled=false")
                .run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(DelayQueueListenerEndpointRegistry.class));
    }

    @Test
    void containerFactoryBacksOffWhenUserDefinesOne() {
        runner.withUserConfiguration(OwnFactory.class).run(context -> {
            assertThat(context).hasSingleBean(DelayQueueListenerContainerFactory.class);
            assertThat(context.getBean(DelayQueueListenerEndpointRegistry.class)
                            .container("listener.on")
                            .orElseThrow()
                            .options()
                            .concurrency())
                    .isEqualTo(33);
        });
    }

    @Test
    void errorHandlerBacksOffWhenUserDefinesOne() {
        ListenerErrorHandler own = (message, failure, delivery) -> {};
        runner.withBean("own", ListenerErrorHandler.class, () -> own)
                .run(context ->
                        assertThat(context).getBean(ListenerErrorHandler.class).isSameAs(own));
    }

    @Test
    void usersPayloadConverterIsUsedInBothDirections() {
        runner.withBean("own", PayloadConverter.class, Shouting::new).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "psst", Duration.ZERO);

            assertThat(context.getBean(Listener.class).received.first()).isEqualTo("PSST!");
        });
    }

    @Test
    void listenersWorkWithoutReactor() {
        runner.withClassLoader(new FilteredClassLoader(Mono.class)).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

            assertThat(context.getBean(Listener.class).received.first()).isEqualTo("w");
        });
    }

    @Test
    void listenersWorkWithoutValidation() {
        runner.withClassLoader(new FilteredClassLoader("jakarta.validation")).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

            assertThat(context.getBean(Listener.class).received.first()).isEqualTo("w");
        });
    }

    static class Listener {
        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(String work) {
            received.add(work);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnFactory {
        @Bean
        DelayQueueListenerContainerFactory ownFactory(DelayQueueClient client, ListenerMethods methods) {
            DelayQueueListenerContainerFactory factory = new DelayQueueListenerContainerFactory(client, methods);
            factory.setDefaults(ListenerSettings.builder().concurrency(33).build());
            return factory;
        }
    }

    private static final class Shouting implements PayloadConverter {
        @Override
        public byte[] toBytes(Object payload) {
            return payload.toString().toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Object fromBytes(byte[] bytes, Type type) {
            return new String(bytes, StandardCharsets.UTF_8) + "!";
        }
    }
}
