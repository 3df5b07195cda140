package io.delayqueue.spring.diagnostics;

import io.delayqueue.spring.listener.InvalidListenerException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes a listener that can't work as it is written. */
final class InvalidListenerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidListenerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidListenerException cause) {
        return new FailureAnalysis(
                "A @DelayQueueListener can't work as it is written:\n\n    Method: " + cause.listener() + "\n    "
                        + "Attribute: " + cause.attribute() + "\n    Problem: " + cause.problem(),
                "Correct the listener; the Javadoc of @DelayQueueListener says what is accepted.",
                cause);
    }
}
