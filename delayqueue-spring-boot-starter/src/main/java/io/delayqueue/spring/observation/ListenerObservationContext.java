package io.delayqueue.spring.observation;

import io.delayqueue.Message;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;

/** What is known of a listener's call; trace context is read from the message's headers. */
public final class ListenerObservationContext extends ReceiverContext<Message> {

    /** A context of this message. */
    public ListenerObservationContext(Message message) {
        super((carrier, name) -> carrier.headers().get(name), Kind.CONSUMER);
        setCarrier(message);
        setRemoteServiceName("redis");
    }
}
