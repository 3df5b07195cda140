package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.Outbox;
import io.delayqueue.OutboxOptions;
import io.delayqueue.jdbc.outbox.HandOver;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.outbox.WriteSettings;
import io.delayqueue.jdbc.relay.OutboxBlockedEvent;
import io.delayqueue.jdbc.relay.OutboxLifecycle;
import io.delayqueue.jdbc.relay.OutboxListener;
import io.delayqueue.jdbc.relay.OutboxListeners;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.OutboxSettings;
import io.delayqueue.jdbc.relay.QueuedHandOver;
import io.delayqueue.jdbc.relay.RefusalLog;
import io.delayqueue.jdbc.relay.Relay;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the hand-over, which sends right after each commit, and of the relay, which sends the rest. */
@AutoConfiguration(after = {DelayQueueAutoConfiguration.class, JournalSchemaAutoConfiguration.class})
@ConditionalOnBooleanProperty(
        name = {"delayqueue.enabled", "delayqueue.journal.enabled"},
        matchIfMissing = true)
@ConditionalOnBean({DataSource.class, DelayQueueClient.class})
@ConditionalOnMissingBean(HandOver.class)
public final class JournalRelayAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    OutboxSettings delayQueueOutboxSettings(JournalProperties properties) {
        OutboxProperties outbox = properties.getOutbox();
        return new OutboxSettings(
                outbox.getSendTimeout(),
                outbox.getBatchSize(),
                outbox.getPollInterval(),
                outbox.getHandOverCapacity(),
                outbox.getMaxFailures());
    }

    @Bean
    QueuedHandOver delayQueueHandOver(
            JournalDatabase database,
            DelayQueueClient client,
            JournalProperties properties,
            ObjectProvider<OutboxListener> listeners,
            OutboxSettings settings,
            WriteSettings writeSettings) {
        return new QueuedHandOver(
                database, outbox(client, properties), all(listeners), settings, writeSettings.sender());
    }

    @Bean
    Relay delayQueueRelay(
            JournalDatabase database,
            DelayQueueClient client,
            JournalProperties properties,
            ObjectProvider<OutboxListener> listeners,
            OutboxSettings settings) {
        return new Relay(database, outbox(client, properties), all(listeners), settings);
    }

    @Bean
    OutboxLifecycle delayQueueOutboxLifecycle(QueuedHandOver handOver, Relay relay, DelayQueueClient client) {
        return new OutboxLifecycle(handOver, relay, client);
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxOperator delayQueueOutboxOperator(JournalDatabase database) {
        return new OutboxOperator(database);
    }

    @Bean
    OutboxListener delayQueueOutboxRefusalLog() {
        return new RefusalLog();
    }

    @Bean
    OutboxListener delayQueueOutboxBlockedEvents(ApplicationEventPublisher publisher, DelayQueueClient client) {
        JournalEvents events = new JournalEvents(() -> client, publisher);
        return new OutboxListener() {
            @Override
            public void blocked(MessageId key, String error) {
                events.publish(new OutboxBlockedEvent(key.topic(), key.id(), error));
            }
        };
    }

    private static Outbox outbox(DelayQueueClient client, JournalProperties properties) {
        OutboxProperties outbox = properties.getOutbox();
        return client.outbox(options(outbox));
    }

    /** Depends on two properties, so that their setters can't check it. */
    private static OutboxOptions options(OutboxProperties outbox) {
        try {
            return new OutboxOptions(outbox.getSendTimeout(), outbox.getRememberApplied());
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationPropertyValueException(
                    "delayqueue.journal.outbox.remember-applied",
                    outbox.getRememberApplied(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    private static OutboxListener all(ObjectProvider<OutboxListener> listeners) {
        return new OutboxListeners(listeners.orderedStream().toList());
    }
}
