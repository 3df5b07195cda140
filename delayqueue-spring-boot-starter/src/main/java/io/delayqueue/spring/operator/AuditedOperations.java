package io.delayqueue.spring.operator;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes each operation as an audit event of Spring Boot, for the application's {@code AuditEventRepository}. Its type is
 * {@link #TYPE_PREFIX} and the operation, such as {@code DELAYQUEUE_PAUSE}; its principal is the caller's name.
 */
public final class AuditedOperations implements OperatorListener {

    /** Begin of each event's type. */
    public static final String TYPE_PREFIX = "DELAYQUEUE_";

    private final ApplicationEventPublisher publisher;

    /** Publishes there. */
    public AuditedOperations(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
    }

    @Override
    public void onOperation(OperatorEvent event) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("topic", event.topic());
        if (!event.ids().isEmpty()) {
            data.put("ids", List.copyOf(event.ids()));
        }
        if (event.step() != OperatorEvent.Step.WHOLE) {
            data.put("step", event.step().name());
        }
        data.put("outcome", event.outcome().name());
        data.put("count", event.count());
        if (event.error() != null) {
            data.put("error", event.error());
        }
        publisher.publishEvent(new AuditApplicationEvent(
                event.caller(), TYPE_PREFIX + event.operation().name(), data));
    }
}
