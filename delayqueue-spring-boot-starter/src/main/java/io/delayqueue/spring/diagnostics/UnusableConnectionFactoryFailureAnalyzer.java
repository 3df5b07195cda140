package io.delayqueue.spring.diagnostics;

import io.delayqueue.spring.autoconfigure.UnusableConnectionFactoryException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes a connection factory that the delay queue can't use. */
final class UnusableConnectionFactoryFailureAnalyzer
        extends AbstractFailureAnalyzer<UnusableConnectionFactoryException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnusableConnectionFactoryException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
