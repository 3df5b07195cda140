package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.ChildJvm;
import io.delayqueue.spring.testsupport.DocumentedUser;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application without a web server, in a process of its own. */
@Tag("slow")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@ExtendWith(EmbeddedRedisExtension.class)
class WorkerProcessTests {

    private static final int SIGTERM_EXIT_CODE = 128 + 15;

    /** For each step of the worker, such as its start: far more than a busy machine takes. */
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(5);

    /** The first connection of a JVM is a slow one. */
    private static final String PATIENT = "--delayqueue.command-timeout=20s";

    @Test
    void workerStaysAliveUntilItIsTerminatedAndThenFinishesWhatItHasBegun(EmbeddedRedis redis) throws Exception {
        DocumentedUser.create(redis);
        try (ChildJvm worker = ChildJvm.running(
                Worker.class,
                "--spring.data.redis.port=" + redis.port(),
                "--spring.data.redis.username=" + DocumentedUser.NAME,
                "--spring.data.redis.password=" + DocumentedUser.password(),
                PATIENT)) {
            awaitLines(worker, "handled after main", "main ends", "begins slow");
            worker.terminate();

            assertThat(worker.exitCode(LONG_ENOUGH.toSeconds())).isEqualTo(SIGTERM_EXIT_CODE);
            await().untilAsserted(() -> assertThat(worker.lines().all()).endsWith("handled slow"));
            assertThat(totals(redis)).as("acked").isEqualTo("2");
        }
    }

    @Test
    void workerWithoutARunningListenerEnds(EmbeddedRedis redis) throws Exception {
        DocumentedUser.create(redis);
        try (ChildJvm worker = ChildJvm.running(
                Worker.class,
                "--spring.data.redis.port=" + redis.port(),
                "--spring.data.redis.username=" + DocumentedUser.NAME,
                "--spring.data.redis.password=" + DocumentedUser.password(),
                PATIENT,
                "--delayqueue.listener.auto-startup=false")) {
            assertThat(worker.exitCode(LONG_ENOUGH.toSeconds())).isZero();
            // its last line may be read after its end
            await().untilAsserted(() -> assertThat(worker.lines().all()).containsExactly("main ends"));
        }
    }

    /** Waits until the worker has written these lines, or has ended. */
    private static void awaitLines(ChildJvm worker, String... lines) {
        await().atMost(LONG_ENOUGH)
                .until(() -> !worker.isAlive() || worker.lines().all().containsAll(List.of(lines)));
        assertThat(worker.lines().all()).contains(lines);
    }

    private static String totals(EmbeddedRedis redis) {
        RedisClient client = RedisClient.create(redis.uri());
        try {
            return client.connect().sync().hget("dq:{work:0}:meta", "acked");
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Worker {

        public static void main(String[] args) {
            SpringApplication application = new SpringApplication(Worker.class);
            application.setWebApplicationType(WebApplicationType.NONE);
            application.setBannerMode(Banner.Mode.OFF);
            application.setLogStartupInfo(false);
            ConfigurableApplicationContext context = application.run(args);
            DelayQueueOperations delayQueue = context.getBean(DelayQueueOperations.class);
            delayQueue.schedule("work", "after main", Duration.ofMillis(1500));
            delayQueue.schedule("work", "slow", Duration.ofMillis(1600));
            System.out.println("main ends");
        }

        @Bean
        Listener listener() {
            return new Listener();
        }
    }

    static class Listener {

        @DelayQueueListener(topic = "work")
        void handle(String work) {
            if (work.equals("slow")) {
                System.out.println("begins slow");
                LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
            }
            System.out.println("handled " + work);
        }
    }
}
