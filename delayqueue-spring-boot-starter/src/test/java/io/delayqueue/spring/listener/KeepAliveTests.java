package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;

/** The thread that keeps a process alive while listeners run; {@link WorkerProcessTests} has the process. */
@ExtendWith(EmbeddedRedisExtension.class)
class KeepAliveTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @AfterEach
    void noThreadIsLeft() {
        await().untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    @Test
    void oneThreadServesAllListenersUntilTheLastOneStops() {
        runner.withBean("listener", Listener.class).run(context -> {
            assertThat(threads()).hasSize(1).noneMatch(Thread::isDaemon);
            List<DelayQueueListenerContainer> containers = List.copyOf(
                    context.getBean(DelayQueueListenerEndpointRegistry.class).containers());
            assertThat(containers).hasSize(2);

            containers.get(0).stop(Duration.ofSeconds(1));
            containers.get(0).stop(Duration.ofSeconds(1));
            assertThat(threads()).hasSize(1);
            containers.get(1).stop(Duration.ofSeconds(1));
            await().untilAsserted(() -> assertThat(threads()).isEmpty());

            containers.get(1).start();
            containers.get(1).start();
            assertThat(threads()).hasSize(1);
        });
    }

    @Test
    void pausedListenersKeepTheProcessAlive() {
        runner.withBean("listener", Listener.class).run(context -> {
            context.getBean(DelayQueueListenerEndpointRegistry.class)
                    .containers()
                    .forEach(DelayQueueListenerContainer::pause);
            assertThat(threads()).hasSize(1);
        });
    }

    @Test
    void thereIsNoThreadWithoutRunningListeners() {
        runner.run(context -> assertThat(threads()).isEmpty());
        runner.withBean("listener", Listener.class)
                .withPropertyValues("delayqueue.listener.auto-startup=false")
                .run(context -> assertThat(threads()).isEmpty());
    }

    @Test
    void interruptOfAllThreadsDoesNotEndTheProcess() {
        runner.withBean("listener", Listener.class).run(context -> {
            threads().forEach(Thread::interrupt);
            await().during(Duration.ofMillis(300))
                    .untilAsserted(() -> assertThat(threads()).hasSize(1));
        });
    }

    @Test
    void failedStartLeavesNoThread() {
        runner.withBean("listener", Listener.class)
                .withBean(FailsToStart.class)
                .run(context -> assertThat(context).hasFailed());
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("delayqueue-keep-alive"))
                .toList();
    }

    static class Listener {
        @DelayQueueListener(topic = "one")
        @DelayQueueListener(topic = "two")
        void on(String work) {}
    }

    /** Starts after the listeners. */
    static class FailsToStart implements SmartLifecycle {

        @Override
        public void start() {
            throw new IllegalStateException("failed on purpose");
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }

        @Override
        public int getPhase() {
            return Integer.MAX_VALUE;
        }
    }
}
