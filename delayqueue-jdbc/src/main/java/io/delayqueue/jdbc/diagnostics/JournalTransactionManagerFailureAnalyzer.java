package io.delayqueue.jdbc.diagnostics;

import io.delayqueue.jdbc.autoconfigure.JournalTransactionManagerException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes transaction managers of which none has the journal's transactions. */
final class JournalTransactionManagerFailureAnalyzer
        extends AbstractFailureAnalyzer<JournalTransactionManagerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, JournalTransactionManagerException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
