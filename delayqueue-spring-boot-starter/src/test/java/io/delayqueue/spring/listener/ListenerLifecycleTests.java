package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.DocumentedUser;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

/** Starting, pausing and stopping listeners, one by one and with the application. */
@ExtendWith(EmbeddedRedisExtension.class)
class ListenerLifecycleTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void listenersAreStartedStoppedAndPausedOneByOne() {
        runner.withBean("listener", Listener.class).run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            DelayQueueListenerContainer container = container(context.getSourceApplicationContext());
            Received<String> received = context.getBean(Listener.class).received;

            container.pause();
            template.schedule("work", "while paused", Duration.ZERO);
            assertThat(container.isPaused()).isTrue();
            assertThat(container.stop(Duration.ofSeconds(1))).isTrue();
            assertThat(container.isRunning()).isFalse();
            container.start();
            assertThat(container.isPaused()).as("pause outlives a restart").isTrue();
            assertThat(received.all()).isEmpty();
            container.resume();
            assertThat(received.first()).isEqualTo("while paused");

            container.stop(Duration.ofSeconds(1));
            template.schedule("work", "while stopped", Duration.ZERO);
            container.start();
            assertThat(received.await(2)).endsWith("while stopped");
            assertThat(container.isHealthy()).isTrue();
        });
    }

    @Test
    void allListenersArePausedForReasonsBesideTheirOwnPauses() {
        runner.withBean("listener", Listener.class).run(context -> {
            DelayQueueListenerEndpointRegistry registry = context.getBean(DelayQueueListenerEndpointRegistry.class);
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            DelayQueueListenerContainer container = container(context.getSourceApplicationContext());
            Received<String> received = context.getBean(Listener.class).received;

            registry.pauseAll("database");
            registry.pauseAll("maintenance");
            registry.resumeAll("database");
            registry.resumeAll("never");
            template.schedule("work", "while paused", Duration.ZERO);
            container.resume();
            assertThat(container.stop(Duration.ofSeconds(10))).isTrue();
            container.start();
            assertThat(container.isPaused()).as("for the second reason").isTrue();
            assertThat(registry.pauseReasons()).containsExactly("maintenance");

            container.pause();
            registry.resumeAll("maintenance");
            assertThat(container.isPaused()).as("by itself").isTrue();
            assertThat(received.all()).isEmpty();
            container.resume();
            assertThat(received.first()).isEqualTo("while paused");
        });
    }

    @Test
    void listenersThatAreRegisteredWhileAllArePausedArePaused() {
        runner.withBean("listener", Listener.class)
                .withPropertyValues("delayqueue.listener.auto-startup=false")
                .run(context -> {
                    DelayQueueListenerEndpointRegistry registry =
                            context.getBean(DelayQueueListenerEndpointRegistry.class);
                    DelayQueueListenerContainer first = container(context.getSourceApplicationContext());
                    registry.pauseAll("database");
                    DelayQueueListenerContainer second = registry.registerWithFreeId(
                            first.endpoint(), context.getBean(DelayQueueListenerContainerFactory.class));

                    assertThat(second.isPaused()).isTrue();
                    registry.resumeAll("database");
                    assertThat(second.isPaused()).isFalse();
                });
    }

    @Test
    void listenerWithoutAutoStartupCanBeStarted() {
        runner.withBean("listener", Listener.class)
                .withPropertyValues("delayqueue.listener.auto-startup=false")
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
                    DelayQueueListenerContainer container = container(context.getSourceApplicationContext());
                    assertThat(container.isRunning()).isFalse();

                    container.start();

                    assertThat(context.getBean(Listener.class).received.first()).isEqualTo("w");
                });
    }

    @Test
    void restartedContextConsumesAgain() {
        runner.withBean("listener", Listener.class).run(context -> {
            ConfigurableApplicationContext application = context.getSourceApplicationContext();
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);

            application.stop();
            assertThat(container(application).isRunning()).isFalse();
            application.start();

            template.schedule("work", "after restart", Duration.ZERO);
            assertThat(context.getBean(Listener.class).received.first()).isEqualTo("after restart");
        });
    }

    @Test
    void listenersConsumeAgainOnceRedisAnswers(EmbeddedRedis redis) {
        runner.withBean("listener", Listener.class)
                .withPropertyValues("delayqueue.command-timeout=500ms")
                .run(context -> {
                    Received<String> received = context.getBean(Listener.class).received;
                    DelayQueueListenerContainer container = container(context.getSourceApplicationContext());
                    redis.kill();
                    await().until(() -> !container.isHealthy());

                    redis.restart();
                    DocumentedUser.create(redis);
                    // no user could log in before
                    DocumentedUser.denied(redis);

                    await().ignoreExceptions().untilAsserted(() -> {
                        context.getBean(DelayQueueOperations.class).schedule("work", "after", Duration.ZERO);
                        assertThat(received.all()).isNotEmpty();
                    });
                    await().until(container::isHealthy);
                });
    }

    @Test
    void handlersSeeTheApplicationsClassLoader() {
        runner.withBean("listener", Listener.class).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
            Thread thread = context.getBean(Listener.class).threads.first();

            assertThat(thread.getContextClassLoader()).isEqualTo(context.getClassLoader());
            assertThat(thread.getName()).startsWith("delayqueue-worker-");
            assertThat(thread.isDaemon()).isTrue();
        });
    }

    @Test
    void handlersRunOnVirtualThreadsIfBootEnablesThem() {
        assumeThat(Runtime.version().feature()).isGreaterThanOrEqualTo(21);
        runner.withBean("listener", Listener.class)
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
                    Thread thread = context.getBean(Listener.class).threads.first();

                    assertThat(thread.toString()).startsWith("VirtualThread");
                    assertThat(thread.getContextClassLoader()).isEqualTo(context.getClassLoader());
                });
    }

    private static DelayQueueListenerContainer container(ConfigurableApplicationContext context) {
        return context.getBean(DelayQueueListenerEndpointRegistry.class)
                .container("listener.on")
                .orElseThrow();
    }

    static class Listener {
        final Received<String> received = new Received<>();
        final Received<Thread> threads = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(String work) {
            received.add(work);
            threads.add(Thread.currentThread());
        }
    }
}
