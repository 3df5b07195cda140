package io.delayqueue.spring.observation;

import io.delayqueue.ReceivedMessage;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;

/** Observation context of a listener's call; reads the trace context from the message's headers. */
public final class ListenerObservationContext extends ReceiverContext<ReceivedMessage> {

    /** A context for this message. */
    public ListenerObservationContext(ReceivedMessage message) {
        super((carrier, name) -> carrier.headers().get(name), Kind.CONSUMER);
        setCarrier(message);
        setRemoteServiceName("redis");
    }
}
