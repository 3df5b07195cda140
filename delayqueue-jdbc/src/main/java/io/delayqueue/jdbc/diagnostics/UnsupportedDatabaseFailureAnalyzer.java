package io.delayqueue.jdbc.diagnostics;

import io.delayqueue.jdbc.dialect.UnsupportedDatabaseException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes a database that the journal can't use. */
final class UnsupportedDatabaseFailureAnalyzer extends AbstractFailureAnalyzer<UnsupportedDatabaseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnsupportedDatabaseException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
