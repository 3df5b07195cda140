package io.delayqueue.docs.beans;

import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.listener.DelayQueueListenerEndpoint;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.listener.ListenerSettings;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.springframework.stereotype.Component;

// tag::tenants[]
@Component
class TenantListeners {

    private final DelayQueueListenerEndpointRegistry listeners;
    private final DelayQueueListenerContainerFactory containers;

    TenantListeners(DelayQueueListenerEndpointRegistry listeners, DelayQueueListenerContainerFactory containers) {
        this.listeners = listeners;
        this.containers = containers;
    }

    void add(String tenant, Consumer<String> handler) {
        DelayQueueListenerEndpoint endpoint = DelayQueueListenerEndpoint.forHandler(
                        tenant, // its id
                        "reminder-" + tenant, // its topic
                        (message, delivery) -> handler.accept(new String(message.payload(), StandardCharsets.UTF_8)))
                .withSettings(ListenerSettings.builder().concurrency(2).build());
        listeners.register(endpoint, containers);
    }

    void remove(String tenant) {
        listeners.unregister(tenant); // waits for its handlers
    }
}
// end::tenants[]
