package io.delayqueue.jdbc.diagnostics;

import io.delayqueue.jdbc.schema.JournalKeyPrefixException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes tables that belong to another key prefix. */
final class JournalKeyPrefixFailureAnalyzer extends AbstractFailureAnalyzer<JournalKeyPrefixException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, JournalKeyPrefixException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
