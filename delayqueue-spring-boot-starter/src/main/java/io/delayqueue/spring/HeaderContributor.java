package io.delayqueue.spring;

import java.util.function.BiConsumer;

/**
 * Adds headers to every message that {@link DelayQueueTemplate} makes, such as a tenant or a trace context. All beans of
 * this type are asked, in order, on the scheduling thread; a header that the message sets itself wins.
 */
@FunctionalInterface
public interface HeaderContributor {

    /**
     * Adds what it has to add.
     *
     * @param topic where the message goes
     * @param headers takes name and value
     */
    void addTo(String topic, BiConsumer<String, String> headers);
}
