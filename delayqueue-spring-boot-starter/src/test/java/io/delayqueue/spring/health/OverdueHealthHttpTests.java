package io.delayqueue.spring.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.WebApplication;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A load balancer that asks for health over HTTP keeps an instance that has a backlog. */
@ExtendWith(EmbeddedRedisExtension.class)
class OverdueHealthHttpTests {

    @Test
    void backlogIsShownButTakesNoInstanceOutOfService(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = start(redis)) {
            makeOverdue(application);

            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(application
                                    .get("/actuator/health/delayqueue")
                                    .body())
                            .contains("\"status\":\"OVERDUE\""));
            HttpResponse<String> component = application.get("/actuator/health/delayqueue");
            assertThat(component.statusCode()).as(component.body()).isEqualTo(200);
            HttpResponse<String> health = application.get("/actuator/health");
            assertThat(health.statusCode()).as(health.body()).isEqualTo(200);
            assertThat(health.body()).contains("\"status\":\"OVERDUE\"").endsWith("\"status\":\"UP\"}");
            for (String probe : new String[] {"liveness", "readiness"}) {
                HttpResponse<String> group = application.get("/actuator/health/" + probe);
                assertThat(group.statusCode()).as(probe).isEqualTo(200);
                assertThat(group.body()).doesNotContain("delayqueue");
            }
        }
    }

    @Tag("slow")
    @Test
    void backlogCountsIfThePropertiesOfSpringBootSaySo(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = start(
                redis,
                "management.endpoint.health.status.order=down,out-of-service,overdue,up,unknown",
                "management.endpoint.health.status.http-mapping.down=503",
                "management.endpoint.health.status.http-mapping.overdue=503")) {
            makeOverdue(application);

            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                HttpResponse<String> health = application.get("/actuator/health");
                assertThat(health.statusCode()).as(health.body()).isEqualTo(503);
                assertThat(health.body()).endsWith("\"status\":\"OVERDUE\"}");
            });
        }
    }

    private static WebApplication start(EmbeddedRedis redis, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("management.endpoint.health.show-details=always");
        all.add("management.endpoint.health.probes.enabled=true");
        all.add("delayqueue.listener.concurrency=1");
        all.add("delayqueue.shutdown-timeout=10ms");
        return WebApplication.start(Application.class, redis, all.toArray(String[]::new));
    }

    private static void makeOverdue(WebApplication application) throws InterruptedException {
        DelayQueueOperations queue = application.bean(DelayQueueOperations.class);
        queue.schedule("work", "keeps the listener busy", Duration.ZERO);
        application.bean(Busy.class).started.await();
        queue.schedule("work", "overdue", Instant.now().minusSeconds(90));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Busy listener() {
            return new Busy();
        }
    }

    static class Busy {

        final CountDownLatch started = new CountDownLatch(1);
        private final CountDownLatch never = new CountDownLatch(1);

        @DelayQueueListener(topic = "work")
        void on(String work) throws InterruptedException {
            started.countDown();
            never.await();
        }
    }
}
