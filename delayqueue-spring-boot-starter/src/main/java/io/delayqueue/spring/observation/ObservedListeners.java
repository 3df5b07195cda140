package io.delayqueue.spring.observation;

import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.spring.listener.DelayQueueInterceptor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.core.Ordered;

/**
 * Observes each call of a listener as {@value #NAME}: a timer with tags {@code topic} and {@code error}, and with tracing a
 * span that continues the trace of the schedule call. The outermost of all interceptors.
 */
public final class ObservedListeners implements DelayQueueInterceptor, Ordered {

    /** Name of the observation. */
    public static final String NAME = "delayqueue.listener";

    private final ObservationRegistry registry;

    /** An interceptor that reports to this registry. */
    public ObservedListeners(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void handle(ReceivedMessage message, Delivery delivery, MessageHandler next) throws Exception {
        Observation observation = Observation.createNotStarted(
                        NAME, () -> new ListenerObservationContext(message), registry)
                .contextualName(message.topic() + " process")
                .lowCardinalityKeyValue("topic", message.topic())
                .highCardinalityKeyValue("delayqueue.message.id", message.id())
                .highCardinalityKeyValue("delayqueue.message.attempt", String.valueOf(message.attempt()));
        observation.<Exception>observeChecked(() -> next.handle(message, delivery));
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
