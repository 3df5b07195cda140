package io.delayqueue.spring.autoconfigure;

import io.delayqueue.spring.DelayQueueTemplate;
import io.delayqueue.spring.HeaderContributor;
import io.delayqueue.spring.MessageSender;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.lang.CheckReturnValue;

/**
 * Sets up a template as the starter's own. It has all {@link HeaderContributor} beans, that of tracing among them, and
 * the {@link MessageSender} bean if there is one that supports its client, else {@code delayqueue.transaction-aware}. Inject it to
 * define a {@link DelayQueueTemplate} of your own that loses neither:
 *
 * <pre>{@code
 * @Bean
 * DelayQueueTemplate delayQueueTemplate(
 *         DelayQueueClient client, PayloadConverter converter, DelayQueueTemplateConfigurer configurer) {
 *     return configurer.configure(new DelayQueueTemplate(client, converter));
 * }
 * }</pre>
 */
public final class DelayQueueTemplateConfigurer {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final List<HeaderContributor> headerContributors;
    private final @Nullable MessageSender sender;
    private final boolean transactionAware;

    DelayQueueTemplateConfigurer(
            List<HeaderContributor> headerContributors, @Nullable MessageSender sender, boolean transactionAware) {
        this.headerContributors = List.copyOf(headerContributors);
        this.sender = sender;
        this.transactionAware = transactionAware;
    }

    /** A template like this one, which is unchanged, with the features above. Contributors of its own come after the beans. */
    @CheckReturnValue
    public DelayQueueTemplate configure(DelayQueueTemplate template) {
        DelayQueueTemplate configured = template.withHeaderContributors(headerContributors);
        if (sender != null && sender.supports(template.client())) {
            return configured.withMessageSender(sender);
        }
        if (sender != null) {
            log.warn(
                    "A DelayQueueTemplate uses another client than the MessageSender {}: its calls go to Redis directly, not through that"
                            + " sender",
                    sender.getClass().getName());
        }
        return transactionAware ? configured.transactionAware() : configured;
    }
}
