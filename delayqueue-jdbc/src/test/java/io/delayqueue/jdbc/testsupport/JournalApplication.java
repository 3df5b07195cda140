package io.delayqueue.jdbc.testsupport;

import io.delayqueue.Delivery;
import io.delayqueue.jdbc.autoconfigure.JournalAuditAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalInboxAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalRelayAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalRestoreAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalRetentionAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalSchemaAutoConfiguration;
import io.delayqueue.jdbc.restore.RestoreSettings;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueListenerAutoConfiguration;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** An application with the whole journal, as users have it, on a DataSource of the test. */
public final class JournalApplication {

    private JournalApplication() {}

    /**
     * One whose restores and comparisons don't wait for acks that a process of before may have on their way. Its calls wait for a Redis of
     * a busy machine.
     */
    public static ApplicationContextRunner withQuickRestoresOn(DataSource dataSource, String redis) {
        return on(dataSource, redis).withBean(QuickRestores.class).withPropertyValues("delayqueue.command-timeout=20s");
    }

    public static ApplicationContextRunner on(DataSource dataSource, String redis) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        DelayQueueJacksonAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        DelayQueueListenerAutoConfiguration.class,
                        JournalSchemaAutoConfiguration.class,
                        JournalRelayAutoConfiguration.class,
                        JournalAutoConfiguration.class,
                        JournalAuditAutoConfiguration.class,
                        JournalRestoreAutoConfiguration.class,
                        JournalInboxAutoConfiguration.class,
                        JournalRetentionAutoConfiguration.class))
                // the context would close a pool of its own
                .withBean("dataSource", DataSource.class, () -> new DelegatingDataSource(dataSource))
                .withBean(OrderListener.class)
                .withPropertyValues(
                        "spring.data.redis.url=" + redis,
                        "delayqueue.journal.business-key=order",
                        // the first failure blocks an id
                        "delayqueue.journal.outbox.max-failures=1",
                        "delayqueue.journal.outbox.poll-interval=50ms",
                        // restores only what it is asked for
                        "delayqueue.journal.restore.mode=report",
                        "delayqueue.journal.restore.check-interval=1h",
                        "delayqueue.journal.restore.compare-interval=0",
                        "delayqueue.journal.retention.interval=100ms");
    }

    /** Shortens the time for which they wait. */
    static final class QuickRestores implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof RestoreSettings settings
                    ? new RestoreSettings(
                            settings.mode(),
                            settings.rate(),
                            settings.checkInterval(),
                            settings.compareInterval(),
                            settings.holdTimeout(),
                            settings.checkTimeout(),
                            Duration.ofMillis(300))
                    : bean;
        }
    }

    /** Handles each order once, those that begin with {@code again} at the second attempt, and {@code dead} never. */
    public static final class OrderListener {

        public static final String TOPIC = "handled-once";

        private final Set<String> attempts = ConcurrentHashMap.newKeySet();

        @DelayQueueListener(topic = TOPIC, idempotent = true)
        void handle(String order, Delivery delivery) {
            if (order.equals("dead")) {
                delivery.deadLetter("dead on arrival");
            } else if (order.startsWith("again") && attempts.add(order)) {
                delivery.retryAfter(Duration.ZERO);
            }
        }
    }
}
