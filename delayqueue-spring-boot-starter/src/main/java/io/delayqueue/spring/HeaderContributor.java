package io.delayqueue.spring;

import java.util.function.BiConsumer;

/**
 * Adds headers to every message of {@link DelayQueueTemplate}, such as a tenant or a trace context. All beans of this type are
 * called in order on the scheduling thread; a header that the message itself sets takes precedence.
 */
@FunctionalInterface
public interface HeaderContributor {

    /**
     * Adds headers to one message.
     *
     * @param topic topic of the message
     * @param headers accepts name and value of each header
     */
    void addTo(String topic, BiConsumer<String, String> headers);
}
