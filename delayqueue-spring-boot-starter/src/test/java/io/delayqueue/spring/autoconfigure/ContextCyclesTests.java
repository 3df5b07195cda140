package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.actuate.DelayQueueEndpoint;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.health.DelayQueueHealthIndicator;
import io.delayqueue.spring.testsupport.DocumentedUser;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Whole applications, every feature of the starter on, are started, used and closed in one JVM, as a test suite or a hot
 * restart does: everything is where it was. How many is set by {@code -Ddelayqueue.test.cycles}.
 */
@ExtendWith(EmbeddedRedisExtension.class)
class ContextCyclesTests {

    private static final int CYCLES = Integer.getInteger("delayqueue.test.cycles", 50);
    /** Pools and caches that stay have come into being by then. */
    private static final int WARM_UP = 10;
    /** An application that is held has some hundreds of them; below is noise of the virtual machine. */
    private static final long MOST_BYTES_A_CYCLE = 40_000;

    private final List<WeakReference<ConfigurableApplicationContext>> closed = new ArrayList<>();

    @Test
    void closedApplicationsLeaveNothingBehind(EmbeddedRedis redis) {
        DocumentedUser.create(redis);
        RedisClient client = RedisClient.create(redis.uri());
        try {
            RedisCommands<String, String> admin = client.connect().sync();
            repeat(WARM_UP, redis);
            Left before = Left.by(admin);

            repeat(CYCLES, redis);

            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                Left after = Left.by(admin);
                assertThat(after.threads()).as("threads, %s before", before).isLessThanOrEqualTo(before.threads() + 5);
                assertThat(after.connections()).as("connections").isEqualTo(before.connections());
                assertThat(after.bytes())
                        .as("bytes, %s before", before)
                        .isLessThan(before.bytes() + CYCLES * MOST_BYTES_A_CYCLE);
                // the last ones may still be on the stack of a thread
                assertThat(closed.stream().filter(it -> it.get() != null))
                        .as("contexts that are held")
                        .hasSizeLessThanOrEqualTo(2);
            });
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private void repeat(int times, EmbeddedRedis redis) {
        for (int i = 0; i < times; i++) {
            use(redis);
        }
    }

    private void use(EmbeddedRedis redis) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setRegisterShutdownHook(false);
        try (ConfigurableApplicationContext context = application.run(
                "--spring.data.redis.port=" + redis.port(),
                "--spring.data.redis.username=" + DocumentedUser.NAME,
                "--spring.data.redis.password=" + DocumentedUser.password(),
                "--management.endpoints.web.exposure.include=*",
                "--management.endpoint.delayqueue.access=unrestricted",
                "--delayqueue.command-timeout=20s")) {
            closed.add(new WeakReference<>(context));
            context.getBean(DelayQueueOperations.class).schedule("work", "hello", Duration.ZERO);
            assertThat(context.getBean(Listener.class).received.first()).isEqualTo("hello");
            Health health = context.getBean(DelayQueueHealthIndicator.class).health();
            assertThat(health.getStatus()).as("%s", health).isEqualTo(Status.UP);
            assertThat(context.getBean(DelayQueueEndpoint.class).named("work", null))
                    .isNotNull();
            assertThat(context.getBean(MeterRegistry.class)
                            .get("delayqueue.accepted")
                            .tag("topic", "work")
                            .counter()
                            .count())
                    .isOne();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Listener listener() {
            return new Listener();
        }
    }

    static class Listener {

        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void handle(String payload) {
            received.add(payload);
        }
    }

    /**
     * Numbers of all that an application may leave behind.
     *
     * @param threads of this JVM
     * @param connections that the server sees
     * @param bytes on the heap
     */
    private record Left(int threads, long connections, long bytes) {

        static Left by(RedisCommands<String, String> admin) {
            for (int i = 0; i < 3; i++) {
                System.gc();
            }
            return new Left(
                    Thread.getAllStackTraces().size(),
                    admin.clientList().lines().count(),
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
    }
}
