package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.outbox.JournalSender;
import io.delayqueue.spring.DelayQueueTemplate;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Warns of templates whose calls the journal does not record, though they go to its Redis. */
final class TemplatesCheck implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    private final JournalSender sender;
    private final ListableBeanFactory beans;

    TemplatesCheck(JournalSender sender, ListableBeanFactory beans) {
        this.sender = sender;
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Map<String, DelayQueueTemplate> templates =
                BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, DelayQueueTemplate.class, true, false);
        templates.forEach((name, template) -> {
            if (sender.supports(template.client()) && !template.sendsWith(sender)) {
                log.warn(
                        "The template '{}' bypasses the journal: its calls are not recorded, and go to Redis at once, even in a"
                                + " transaction. Make it with the DelayQueueTemplateConfigurer",
                        name);
            }
        });
    }
}
