package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.Scope;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ScopedProxyMode;

/** Beans that end before their application: of custom scopes, and prototypes. Their listeners end with them. */
@ExtendWith(EmbeddedRedisExtension.class)
class DestroyedBeansTests {

    private final EndableScope scope = new EndableScope();
    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis)
                .withInitializer(context -> context.getBeanFactory().registerScope("endable", scope));
    }

    @Test
    void listenerOfAScopeEndsWithItAndTheNextOneHasItsId() {
        runner.withUserConfiguration(OfScope.class).run(context -> {
            Listener first = context.getBean("scopedTarget.listener", Listener.class);
            schedule(context, "first");
            assertThat(first.received.first()).isEqualTo("first");
            assertThat(ids(context)).containsExactly("listener.on");

            scope.end();
            assertThat(ids(context)).isEmpty();
            schedule(context, "second");
            await().during(Duration.ofMillis(300))
                    .until(() -> first.received.all().size() == 1);

            Listener second = context.getBean("scopedTarget.listener", Listener.class);
            assertThat(second).isNotSameAs(first);
            assertThat(second.received.first()).isEqualTo("second");
            assertThat(ids(context)).containsExactly("listener.on");
            assertThat(first.received.all()).containsExactly("first");
        });
    }

    @Test
    void handlersFinishBeforeTheirBeanIsDestroyed() {
        runner.withUserConfiguration(OfScope.class).run(context -> {
            Listener listener = context.getBean("scopedTarget.listener", Listener.class);
            schedule(context, "slow");
            assertThat(listener.begun.await(25, TimeUnit.SECONDS)).isTrue();

            CompletableFuture<Void> end = CompletableFuture.runAsync(scope::end);
            await().during(Duration.ofMillis(200)).until(() -> !listener.destroyed);
            listener.finish.countDown();
            end.join();

            assertThat(listener.destroyed).isTrue();
            assertThat(listener.handledAfterDestruction).isFalse();
            assertThat(listener.received.all()).containsExactly("slow");
            await().untilAsserted(() -> assertThat(context.getBean(DelayQueueClient.class)
                            .stats("work")
                            .totals()
                            .acked())
                    .isOne());
        });
    }

    @Test
    void stoppedListenerOfADestroyedBeanCantBeStartedAgain() {
        runner.withUserConfiguration(OfScope.class).run(context -> {
            context.getBean("scopedTarget.listener", Listener.class);
            DelayQueueListenerContainer container =
                    registry(context).container("listener.on").orElseThrow();
            scope.end();

            container.start();

            assertThat(container.isRunning()).isFalse();
        });
    }

    @Test
    void manyPrototypesEndOneByOneAndLeaveNothingBehind() {
        runner.withUserConfiguration(Prototypes.class).run(context -> {
            List<Object> beans = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                beans.add(context.getBean("listener"));
            }
            assertThat(ids(context)).hasSize(50).contains("listener.on", "listener.on#2", "listener.on#50");

            Listener kept = (Listener) beans.remove(20);
            beans.forEach(context.getAutowireCapableBeanFactory()::destroyBean);

            assertThat(ids(context)).hasSize(1);
            for (int i = 0; i < 20; i++) {
                schedule(context, "w" + i);
            }
            assertThat(kept.received.await(20)).hasSize(20);
            context.getBean("listener");
            assertThat(ids(context)).hasSize(2).contains("listener.on");
        });
    }

    @Test
    void beanWithATakenIdRegistersNoneOfItsListeners() {
        runner.withUserConfiguration(WithId.class).run(context -> {
            TwoListeners first = context.getBean(TwoListeners.class);
            assertThat(ids(context)).containsExactly("fixed", "listener.other");

            assertThatExceptionOfType(BeanCreationException.class)
                    .isThrownBy(() -> context.getBean(TwoListeners.class))
                    .withRootCauseInstanceOf(InvalidListenerException.class)
                    .havingRootCause()
                    .withMessageContaining("'fixed' is taken by");

            assertThat(ids(context)).containsExactly("fixed", "listener.other");
            context.getAutowireCapableBeanFactory().destroyBean(first);
            assertThat(ids(context)).isEmpty();
            context.getBean(TwoListeners.class);
            assertThat(ids(context)).containsExactly("fixed", "listener.other");
        });
    }

    private static void schedule(ApplicationContext context, String payload) {
        context.getBean(DelayQueueOperations.class).schedule("work", payload, Duration.ZERO);
    }

    private static List<String> ids(ApplicationContext context) {
        return registry(context).containers().stream()
                .map(DelayQueueListenerContainer::id)
                .toList();
    }

    private static DelayQueueListenerEndpointRegistry registry(ApplicationContext context) {
        return context.getBean(DelayQueueListenerEndpointRegistry.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class OfScope {
        @Bean
        @org.springframework.context.annotation.Scope(scopeName = "endable", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Listener listener() {
            return new Listener();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Prototypes {
        @Bean
        @org.springframework.context.annotation.Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        Listener listener() {
            return new Listener();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithId {
        @Bean
        @org.springframework.context.annotation.Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        TwoListeners listener() {
            return new TwoListeners();
        }
    }

    static class Listener {
        final Received<String> received = new Received<>();
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch finish = new CountDownLatch(1);
        volatile boolean destroyed;
        volatile boolean handledAfterDestruction;

        @DelayQueueListener(topic = "work")
        void on(String work) throws InterruptedException {
            if (work.equals("slow")) {
                begun.countDown();
                finish.await();
                handledAfterDestruction = destroyed;
            }
            received.add(work);
        }

        @PreDestroy
        void destroy() {
            destroyed = true;
        }
    }

    static class TwoListeners {
        @DelayQueueListener(topic = "other")
        void other(String work) {}

        @DelayQueueListener(topic = "work", id = "fixed")
        void on(String work) {}
    }

    /** Keeps its beans until its end, as a request or a refresh does. */
    private static final class EndableScope implements Scope {

        private final Map<String, Object> beans = new ConcurrentHashMap<>();
        private final Map<String, Runnable> callbacks = new ConcurrentHashMap<>();

        void end() {
            beans.clear();
            List<Runnable> ended = List.copyOf(callbacks.values());
            callbacks.clear();
            ended.forEach(Runnable::run);
        }

        @Override
        public Object get(String name, ObjectFactory<?> factory) {
            Object bean = beans.get(name);
            if (bean == null) {
                bean = factory.getObject();
                beans.put(name, bean);
            }
            return bean;
        }

        @Override
        public @Nullable Object remove(String name) {
            callbacks.remove(name);
            return beans.remove(name);
        }

        @Override
        public void registerDestructionCallback(String name, Runnable callback) {
            callbacks.put(name, callback);
        }

        @Override
        public @Nullable Object resolveContextualObject(String key) {
            return null;
        }

        @Override
        public @Nullable String getConversationId() {
            return null;
        }
    }
}
