package io.delayqueue.gateway.actuate;

import io.delayqueue.gateway.callback.CallbackReplay;
import io.delayqueue.gateway.callback.CallbackTargets;
import io.delayqueue.gateway.callback.TargetState;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows the targets of callbacks. Pauses and resumes them, and sends dead-lettered callbacks again, where
 * {@code management.endpoint.delayqueuecallbacks.access} is {@code unrestricted}.
 */
@Endpoint(id = "delayqueuecallbacks", defaultAccess = Access.READ_ONLY)
public final class CallbacksEndpoint {

    private final CallbackTargets targets;
    private final CallbackReplay replay;

    /** An endpoint of these targets. */
    public CallbacksEndpoint(CallbackTargets targets, CallbackReplay replay) {
        this.targets = targets;
        this.replay = replay;
    }

    /** States of the targets that this instance called lately, and of all that are paused. */
    @ReadOperation
    public Map<String, TargetState> targets() {
        return targets.states();
    }

    /** Pauses a target in all instances. */
    @WriteOperation
    public void pause(@Selector String target) {
        targets.pause(target);
    }

    /** Ends the pause of a target. */
    @DeleteOperation
    public void resume(@Selector String target) {
        targets.resume(target);
    }

    /**
     * Sends the messages of a topic again that were dead-lettered within a span.
     *
     * @param from begin of the span, ISO-8601
     * @param to end of the span
     */
    @WriteOperation
    public Map<String, Long> replay(String topic, String from, String to) {
        try {
            return Map.of("replayed", replay.replay(topic, Instant.parse(from), Instant.parse(to)));
        } catch (DateTimeParseException e) {
            throw new InvalidEndpointRequestException(
                    "from and to must be instants such as 2026-11-22T12:00:00Z", String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            String reason = String.valueOf(e.getMessage());
            throw new InvalidEndpointRequestException(reason, reason);
        }
    }
}
