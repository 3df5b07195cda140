package io.delayqueue.spring.diagnostics;

import io.delayqueue.spring.startup.StartupCheckException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes a Redis server that the delay queue can't use. */
final class StartupCheckFailureAnalyzer extends AbstractFailureAnalyzer<StartupCheckException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartupCheckException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
