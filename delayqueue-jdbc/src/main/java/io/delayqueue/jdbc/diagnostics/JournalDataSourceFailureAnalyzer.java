package io.delayqueue.jdbc.diagnostics;

import io.delayqueue.jdbc.autoconfigure.JournalDataSourceException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes DataSources of which the journal can't choose one. */
final class JournalDataSourceFailureAnalyzer extends AbstractFailureAnalyzer<JournalDataSourceException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, JournalDataSourceException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
