package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/** The application's clients, one for each Redis server that it uses. */
final class ClientBeans {

    private ClientBeans() {}

    /** All clients by the names of their beans, the default one first. Those that are no default candidates are among them. */
    static Map<String, DelayQueueClient> of(ListableBeanFactory beans, DelayQueueClient defaultClient) {
        Map<String, DelayQueueClient> all =
                BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, DelayQueueClient.class, false, true);
        Map<String, DelayQueueClient> defaultFirst = new LinkedHashMap<>();
        all.forEach((name, client) -> {
            if (client == defaultClient) {
                defaultFirst.put(name, client);
            }
        });
        all.forEach(defaultFirst::putIfAbsent);
        return defaultFirst;
    }
}
