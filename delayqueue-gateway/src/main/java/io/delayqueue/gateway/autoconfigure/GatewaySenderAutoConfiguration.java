package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.http.OwnThreadSender;
import io.delayqueue.spring.MessageSender;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.web.servlet.DispatcherServlet;

/** Auto-configuration of the threads that the HTTP API and the endpoint for SQS clients share. */
@AutoConfiguration(
        after = DelayQueueAutoConfiguration.class,
        afterName = "io.delayqueue.jdbc.autoconfigure.JournalAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@Conditional(GatewaySenderAutoConfiguration.OnEndpoint.class)
@ConditionalOnBean(DelayQueueClient.class)
public final class GatewaySenderAutoConfiguration {

    /** By name: its jar is optional. */
    private static final String JOURNAL = "io.delayqueue.jdbc.Journal";

    @Bean
    @ConditionalOnMissingBean
    AnswerThreads delayQueueGatewayAnswerThreads() {
        return new AnswerThreads(AnswerThreads.MAX_ANSWERS);
    }

    @Bean
    @ConditionalOnBean(type = JOURNAL)
    OwnThreadSender delayQueueGatewayRecordingSender(DelayQueueClient client, ObjectProvider<MessageSender> senders) {
        MessageSender sender = ofClient(client, senders);
        return sender == null ? immediate(client) : OwnThreadSender.recording(sender);
    }

    @Bean
    @ConditionalOnMissingBean
    OwnThreadSender delayQueueGatewaySender(DelayQueueClient client, ObjectProvider<MessageSender> senders) {
        MessageSender sender = ofClient(client, senders);
        return sender == null ? immediate(client) : OwnThreadSender.waiting(sender);
    }

    private static @Nullable MessageSender ofClient(DelayQueueClient client, ObjectProvider<MessageSender> senders) {
        MessageSender sender = senders.getIfUnique();
        return sender != null && sender.supports(client) ? sender : null;
    }

    private static OwnThreadSender immediate(DelayQueueClient client) {
        return OwnThreadSender.immediate(MessageSender.immediate(client));
    }

    /** Matches if one of the two endpoints is enabled. */
    static final class OnEndpoint extends AnyNestedCondition {

        OnEndpoint() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        @ConditionalOnBooleanProperty(name = "delayqueue.gateway.enabled")
        static final class Http {}

        @ConditionalOnBooleanProperty(name = "delayqueue.gateway.sqs.enabled")
        static final class Sqs {}
    }
}
