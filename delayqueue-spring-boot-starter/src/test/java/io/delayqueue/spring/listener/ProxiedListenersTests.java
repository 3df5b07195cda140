package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** Listeners of proxied, lazy and late beans. */
@ExtendWith(EmbeddedRedisExtension.class)
class ProxiedListenersTests {

    private static final Received<String> STEPS = new Received<>();

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis).withUserConfiguration(Proxies.class);
    }

    @Test
    void callsGoThroughAClassProxy() {
        int before = STEPS.all().size();
        runner.withPropertyValues("proxy.class=true")
                .withBean("proxiedListener", Listener.class)
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "by class", Duration.ZERO);

                    assertThat(STEPS.await(before + 2)).endsWith("through proxy", "by class");
                });
    }

    @Test
    void callsGoThroughAnInterfaceProxy() {
        int before = STEPS.all().size();
        runner.withPropertyValues("proxy.class=false")
                .withBean("proxiedListener", ListenerByInterface.class)
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "by interface", Duration.ZERO);

                    assertThat(STEPS.await(before + 2)).endsWith("through proxy", "by interface");
                });
    }

    @Test
    void methodThatAnInterfaceProxyHidesFailsTheStart() {
        runner.withPropertyValues("proxy.class=false")
                .withBean("proxiedListener", HiddenByInterface.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("hidden"));
    }

    @Test
    void lazyBeansListenOnceTheyAreCreated() {
        int before = STEPS.all().size();
        runner.withUserConfiguration(LazyListener.class).run(context -> {
            DelayQueueListenerEndpointRegistry registry = context.getBean(DelayQueueListenerEndpointRegistry.class);
            assertThat(registry.containers()).isEmpty();

            context.getBean(Listener.class);
            context.getBean(DelayQueueOperations.class).schedule("work", "late", Duration.ZERO);

            assertThat(STEPS.await(before + 1)).endsWith("late");
            assertThat(registry.container("lazyListener.on")).isPresent();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Proxies {

        @Bean
        static BeanNameAutoProxyCreator proxies(Environment environment) {
            BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
            creator.setBeanNames("proxiedListener");
            creator.setProxyTargetClass(environment.getProperty("proxy.class", Boolean.class, true));
            creator.setInterceptorNames("noting");
            return creator;
        }

        @Bean
        MethodInterceptor noting() {
            return invocation -> {
                STEPS.add("through proxy");
                return invocation.proceed();
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyListener {
        @Bean
        @Lazy
        Listener lazyListener() {
            return new Listener();
        }
    }

    static class Listener {
        @DelayQueueListener(topic = "work")
        void on(String work) {
            STEPS.add(work);
        }
    }

    interface Handles {
        void on(String work);
    }

    static class ListenerByInterface implements Handles {
        @Override
        @DelayQueueListener(topic = "work")
        public void on(String work) {
            STEPS.add(work);
        }
    }

    static class HiddenByInterface implements Handles {
        @Override
        public void on(String work) {}

        @DelayQueueListener(topic = "work")
        public void hidden(String work) {}
    }
}
