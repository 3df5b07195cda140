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
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
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
 * Applications that are started, used and closed in one JVM leave everything where it was, every feature of the starter on.
 * A test suite or a hot restart does so. How many is set by {@code -Ddelayqueue.test.cycles}.
 */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class ContextCyclesTests {

    private static final int CYCLES = Integer.getInteger("delayqueue.test.cycles", 50);
    /** Pools and caches that stay have come into being by then. */
    private static final int WARM_UP = 10;
    /** Less than one a cycle: noise of caches. An application that is held has thousands. */
    private static final long MOST_OBJECTS_MORE = 25;

    /** The last one may still be on the stack of a thread, or in Spring Boot's static state. */
    private static final int MOST_HELD = 1;

    private final List<WeakReference<ConfigurableApplicationContext>> closed = new ArrayList<>();

    @Test
    void closedApplicationsLeaveNothingBehind(EmbeddedRedis redis) {
        DocumentedUser.create(redis);
        RedisClient client = RedisClient.create(redis.uri());
        try {
            RedisCommands<String, String> admin = client.connect().sync();
            repeat(WARM_UP, redis);
            // one that is held has more objects than all that the others may leave
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                System.gc();
                return held() <= MOST_HELD;
            });
            Left before = Left.by(admin);

            repeat(CYCLES, redis);

            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                Left after = Left.by(admin);
                assertThat(after.threads()).as("threads, %s before", before).isLessThanOrEqualTo(before.threads() + 5);
                assertThat(after.connections()).as("connections").isLessThanOrEqualTo(before.connections());
                assertThat(after.objects())
                        .as("objects, %s before", before)
                        .isLessThanOrEqualTo(before.objects() + MOST_OBJECTS_MORE);
                assertThat(held()).as("contexts that are held").isLessThanOrEqualTo(MOST_HELD);
            });
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private long held() {
        return closed.stream().filter(it -> it.get() != null).count();
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
            assertThat(context.getBean(DelayQueueEndpoint.class).read("work", null, null, null, null, null, null, null))
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
     * @param objects on the heap, of the delay queue's classes and those of the Redis client: Spring's own caches grow with each
     *     application
     */
    private record Left(int threads, long connections, long objects) {

        private static final Pattern OBJECTS =
                Pattern.compile("(?m)^\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+io\\.(?:delayqueue|lettuce)\\.");

        static Left by(RedisCommands<String, String> admin) {
            return new Left(
                    Thread.getAllStackTraces().size(),
                    admin.clientList().lines().count(),
                    OBJECTS.matcher(histogram())
                            .results()
                            .mapToLong(line -> Long.parseLong(line.group(1)))
                            .sum());
        }

        /** Of objects that are reachable. */
        private static String histogram() {
            try {
                return (String) ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                "gcClassHistogram",
                                new Object[] {null},
                                new String[] {String[].class.getName()});
            } catch (JMException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
