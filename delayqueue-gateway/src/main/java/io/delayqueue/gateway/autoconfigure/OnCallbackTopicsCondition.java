package io.delayqueue.gateway.autoconfigure;

import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if a topic of callbacks is configured. */
final class OnCallbackTopicsCondition extends SpringBootCondition {

    private static final String PREFIX = "delayqueue.callbacks";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean configured = Binder.get(context.getEnvironment())
                .bind(PREFIX, Bindable.mapOf(String.class, Object.class))
                .map((Map<String, Object> topics) -> !topics.isEmpty())
                .orElse(false);
        ConditionMessage.Builder message = ConditionMessage.forCondition("Callbacks");
        return configured
                ? ConditionOutcome.match(message.foundExactly("properties " + PREFIX + ".*"))
                : ConditionOutcome.noMatch(
                        message.didNotFind("properties " + PREFIX + ".*").atAll());
    }
}
