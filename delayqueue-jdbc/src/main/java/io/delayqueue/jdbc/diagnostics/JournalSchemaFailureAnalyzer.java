package io.delayqueue.jdbc.diagnostics;

import io.delayqueue.jdbc.schema.JournalSchemaException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes tables that the journal can't use. */
final class JournalSchemaFailureAnalyzer extends AbstractFailureAnalyzer<JournalSchemaException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, JournalSchemaException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
