package io.delayqueue.spring.diagnostics;

import io.delayqueue.spring.listener.InvalidListenerException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes an invalid listener. */
final class InvalidListenerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidListenerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidListenerException cause) {
        return new FailureAnalysis(
                "A @DelayQueueListener is invalid:\n\n    Method: " + cause.listener() + "\n    " + "Attribute: "
                        + cause.attribute() + "\n    Problem: " + cause.problem(),
                "Correct the listener. The Javadoc of @DelayQueueListener lists the accepted attributes, parameters and return types.",
                cause);
    }
}
