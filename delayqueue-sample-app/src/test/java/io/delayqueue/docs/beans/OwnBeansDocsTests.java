package io.delayqueue.docs.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DeadLetter;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The beans that the guide shows do what it says. */
@ExtendWith(EmbeddedRedisExtension.class)
class OwnBeansDocsTests {

    @Test
    void delayQueueUsesItsOwnRedisAndTheApplicationKeepsItsOwn(EmbeddedRedis redis) {
        try (EmbeddedRedis queueRedis = EmbeddedRedis.start();
                ConfigurableApplicationContext application = start(
                        QueueRedis.class,
                        redis,
                        "--queue.redis.host=" + queueRedis.host(),
                        "--queue.redis.port=" + queueRedis.port())) {
            application.getBean(DelayQueueOperations.class).schedule("reminder", "Call Ann", Duration.ofHours(1));

            assertThat(application.getBean(StringRedisTemplate.class).keys("*")).isEmpty();
            assertThat(application.getBean(DelayQueueClient.class).topics()).containsExactly("reminder");
        }
    }

    @Test
    void customizerChangesOneOption(EmbeddedRedis redis) {
        try (ConfigurableApplicationContext application = start(OwnClient.Customized.class, redis)) {
            assertThat(application.getBean(DelayQueueClient.class).options().maxPayload())
                    .isEqualTo(8 * 1024 * 1024);
        }
    }

    @Test
    void ownBeansKeepThePropertiesAndHaveTheirOwnOnes(EmbeddedRedis redis) {
        try (ConfigurableApplicationContext application =
                start(ReplacedApplication.class, redis, "--delayqueue.key-prefix=dq:shop")) {
            application.getBean(DelayQueueOperations.class).schedule("reminder", "Call Ann", Duration.ZERO);
            DelayQueueClient client = application.getBean(DelayQueueClient.class);

            assertThat(client.options().keyPrefix()).isEqualTo("dq:shop");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> client.stats("reminder").dead() == 1);
            DeadLetter deadLetter = client.deadLetters("reminder").list(0, 1).get(0);
            assertThat(deadLetter.error()).contains("not worth another attempt");
            assertThat(deadLetter.headers()).containsEntry("origin", "shop");
        }
    }

    @Test
    void tenantsComeAndGo(EmbeddedRedis redis) {
        try (ConfigurableApplicationContext application = start(TenantListeners.class, redis)) {
            DelayQueueOperations delayQueue = application.getBean(DelayQueueOperations.class);
            TenantListeners tenants = application.getBean(TenantListeners.class);
            List<String> handled = new CopyOnWriteArrayList<>();

            tenants.add("ann", handled::add);
            delayQueue.schedule("reminder-ann", "Call Ann", Duration.ZERO);
            await().atMost(Duration.ofSeconds(20)).until(() -> handled.contains("Call Ann"));
            tenants.remove("ann");
            tenants.add("ann", handled::add);

            delayQueue.schedule("reminder-ann", "Call her again", Duration.ZERO);
            await().atMost(Duration.ofSeconds(20)).until(() -> handled.contains("Call her again"));
        }
    }

    private static ConfigurableApplicationContext start(Class<?> beans, EmbeddedRedis redis, String... arguments) {
        return new SpringApplicationBuilder(Application.class, beans)
                .web(WebApplicationType.NONE)
                .properties("spring.data.redis.url=" + redis.uri(), "delayqueue.command-timeout=20s")
                .run(arguments);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @Import(OwnClient.Replaced.class)
    static class ReplacedApplication {

        @Bean(destroyMethod = "shutdown")
        RedisClient redisClient(Environment environment) {
            return RedisClient.create(environment.getRequiredProperty("spring.data.redis.url"));
        }

        @Bean
        Fails fails() {
            return new Fails();
        }
    }

    static class Fails {

        @DelayQueueListener(topic = "reminder")
        void remind(String text) {
            throw new IllegalStateException("the mail server is down");
        }
    }
}
