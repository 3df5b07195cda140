package io.delayqueue.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.DelayQueueTemplate;
import io.delayqueue.spring.PayloadConverter;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueListenerContainerFactoryConfigurer;
import io.delayqueue.spring.autoconfigure.DelayQueueOptionsConfigurer;
import io.delayqueue.spring.autoconfigure.DelayQueueTemplateConfigurer;
import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.listener.ListenerMethods;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The journal is that of the application's Redis; topics of another one go on without it. */
class TwoServersTests {

    private final Logger log = (Logger) LoggerFactory.getLogger("io.delayqueue");
    private final Level level = log.getLevel();

    @AfterEach
    void resetLevel() {
        log.setLevel(level);
    }

    @EachDatabase(DatabaseKind.H2)
    @ExtendWith(OutputCaptureExtension.class)
    void aTemplateOfAnotherServerGoesPastTheJournal(TestDatabase database, CapturedOutput output) {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                EmbeddedRedis other = EmbeddedRedis.start();
                OutboxApplication application = new OutboxApplication(
                        database,
                        server,
                        context -> {
                            context.registerBean(
                                    "otherRedis", RedisClient.class, () -> RedisClient.create(other.uri()));
                            context.registerBean(Reports.class);
                        },
                        "delayqueue.journal.restore.check-interval=200ms",
                        "logging.level.io.delayqueue=warn")) {
            assertThat(output).contains("its calls go to Redis directly, not through that sender");
            DelayQueueOperations reports = application.context().getBean("reportsQueue", DelayQueueOperations.class);
            DelayQueueClient reportsClient = application.context().getBean("reportsClient", DelayQueueClient.class);

            String later = reports.schedule("report", "later", Duration.ofHours(1));
            reports.schedule("report", "sales", Duration.ZERO);
            application.template().schedule("orders", "order", Duration.ofHours(1));

            assertThat(reportsClient.find("report", later)).isPresent();
            Queue<String> handled = application.context().getBean(Reports.class).handled;
            await().until(() -> handled.contains("sales") && application.accepted("orders") == 1);
            assertThat(application
                            .jdbc()
                            .sql("SELECT DISTINCT topic FROM delayqueue_message")
                            .query(String.class)
                            .list())
                    .containsExactly("orders");
            // its acks are no sign that the application's Redis lost the topic
            await().during(Duration.ofSeconds(1))
                    .until(() -> application
                            .context()
                            .getBean(JournalRestore.class)
                            .losses()
                            .isEmpty());
            assertThat(application.client().topics()).containsExactly("orders");
        }
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(60));
    }

    @Configuration(proxyBeanMethods = false)
    static class Reports {

        private final Queue<String> handled = new ConcurrentLinkedQueue<>();

        @Bean(defaultCandidate = false)
        DelayQueueClient reportsClient(
                @Qualifier("otherRedis") RedisClient redis, DelayQueueOptionsConfigurer configurer) {
            return DelayQueueClient.create(
                    redis, configurer.configure(DelayQueueOptions.builder()).build());
        }

        @Bean(defaultCandidate = false)
        DelayQueueTemplate reportsQueue(
                @Qualifier("reportsClient") DelayQueueClient client,
                PayloadConverter converter,
                DelayQueueTemplateConfigurer configurer) {
            return configurer.configure(new DelayQueueTemplate(client, converter));
        }

        @Bean(defaultCandidate = false)
        DelayQueueListenerContainerFactory reportsListeners(
                @Qualifier("reportsClient") DelayQueueClient client,
                ListenerMethods methods,
                DelayQueueListenerContainerFactoryConfigurer configurer) {
            DelayQueueListenerContainerFactory factory = new DelayQueueListenerContainerFactory(client, methods);
            configurer.configure(factory);
            return factory;
        }

        @DelayQueueListener(topic = "report", containerFactory = "reportsListeners")
        void handle(String report) {
            handled.add(report);
        }
    }
}
