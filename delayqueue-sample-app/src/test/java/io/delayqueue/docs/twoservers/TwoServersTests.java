package io.delayqueue.docs.twoservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.HeaderContributor;
import io.delayqueue.spring.health.DelayQueueHealthIndicator;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** One application consumes from two Redis servers. */
@SpringBootTest(webEnvironment = WebEnvironment.NONE, classes = TwoServersTests.Application.class)
class TwoServersTests {

    static final EmbeddedRedis applications = EmbeddedRedis.start();
    static final EmbeddedRedis reports = EmbeddedRedis.start();

    @DynamicPropertySource
    static void redis(DynamicPropertyRegistry registry) {
        registry.add("spring.data.redis.url", applications::uri);
        registry.add("reports.redis.host", reports::host);
        registry.add("reports.redis.port", reports::port);
        registry.add("delayqueue.command-timeout", () -> "20s");
    }

    @Test
    void eachListenerConsumesFromItsServer(
            @Autowired DelayQueueOperations applicationsQueue,
            @Qualifier("reportsQueue") @Autowired DelayQueueOperations reportsQueue,
            @Autowired DelayQueueClient client,
            @Qualifier("reportsClient") @Autowired DelayQueueClient reportsClient,
            @Autowired Reports listeners) {
        applicationsQueue.schedule("reminder", "Call Ann", Duration.ZERO);
        applicationsQueue.schedule("report", "of the application's Redis", Duration.ZERO);
        reportsQueue.schedule("report", "sales", Duration.ZERO);
        reportsQueue.schedule("reminder", "of the reports' Redis", Duration.ZERO);

        await().atMost(Duration.ofSeconds(60))
                .until(() -> reportsClient.stats("report").totals().acked() == 1
                        && client.stats("reminder").totals().acked() == 1);
        assertThat(listeners.sent).isEqualTo(List.of("sales"));
        assertThat(listeners.reminded).isEqualTo(List.of("Call Ann"));
        assertThat(client.stats("report").pending().ready()).isOne();
        assertThat(reportsClient.stats("reminder").pending().ready()).isOne();
    }

    @Test
    void bothTemplatesAddTheApplicationsHeaders(
            @Autowired DelayQueueOperations applicationsQueue,
            @Qualifier("reportsQueue") @Autowired DelayQueueOperations reportsQueue) {
        for (DelayQueueOperations queue : List.of(applicationsQueue, reportsQueue)) {
            String id = queue.schedule("later", "w", Duration.ofHours(1));

            assertThat(queue.find("later", id).orElseThrow().headers()).containsEntry("tenant", "ann");
        }
    }

    @Test
    void healthIsThatOfBothServers(@Autowired DelayQueueHealthIndicator health) {
        Health both = health.health();

        assertThat(both.getStatus()).as("%s", both).isEqualTo(Status.UP);
        assertThat(both.getDetails().get("topics"))
                .asInstanceOf(InstanceOfAssertFactories.map(String.class, Map.class))
                .containsOnlyKeys("report", "reminder");
    }

    @Test
    void everythingElseKeepsTheApplicationsRedis(@Autowired StringRedisTemplate redis) {
        redis.opsForValue().set("of the application", "yes");

        assertThat(redis.getRequiredConnectionFactory()
                        .getConnection()
                        .serverCommands()
                        .info("server"))
                .containsEntry("tcp_port", String.valueOf(applications.port()));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ReportsRedis.class, Reports.class})
    static class Application {

        @Bean
        HeaderContributor tenant() {
            return (topic, headers) -> headers.accept("tenant", "ann");
        }
    }
}
