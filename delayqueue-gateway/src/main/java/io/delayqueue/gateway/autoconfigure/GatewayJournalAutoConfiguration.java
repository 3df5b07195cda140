package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.journal.JournalController;
import io.delayqueue.gateway.http.journal.RequestedRestores;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.http.request.BoundedCalls;
import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.restore.JournalRestore;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;

/** Auto-configuration of stories and restores over HTTP, in applications that keep a journal. */
@AutoConfiguration(
        afterName = {
            "io.delayqueue.jdbc.autoconfigure.JournalAutoConfiguration",
            "io.delayqueue.jdbc.autoconfigure.JournalAuditAutoConfiguration",
            "io.delayqueue.jdbc.autoconfigure.JournalRestoreAutoConfiguration"
        })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({DispatcherServlet.class, Journal.class})
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "delayqueue.gateway.enabled")
@ConditionalOnBean({DelayQueueClient.class, Journal.class})
public final class GatewayJournalAutoConfiguration {

    private static final String STORY_CALLS = "delayQueueGatewayStoryCalls";

    /** Stories at once, those that wait, and for how long: an index finds one in milliseconds. */
    @Bean(STORY_CALLS)
    BoundedCalls delayQueueGatewayStoryCalls() {
        return new BoundedCalls(
                "delayqueue-gateway-story", 4, 100, Duration.ofSeconds(20), ProblemType.JOURNAL_UNAVAILABLE);
    }

    @Bean
    @ConditionalOnBean(JournalRestore.class)
    RequestedRestores delayQueueGatewayRestores(JournalRestore restore) {
        return new RequestedRestores(restore);
    }

    @Bean(GatewayAutoConfiguration.JOURNAL_CONTROLLER)
    JournalController delayQueueGatewayJournalController(
            Journal journal,
            @Qualifier(STORY_CALLS) BoundedCalls calls,
            ObjectProvider<RequestedRestores> restores,
            Answers answers) {
        return new JournalController(journal, calls, restores.getIfAvailable(), answers);
    }
}
