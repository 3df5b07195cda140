package io.delayqueue.dashboard.diagnostics;

import io.delayqueue.dashboard.autoconfigure.OpenDashboardException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes a dashboard that has no users. */
final class OpenDashboardFailureAnalyzer extends AbstractFailureAnalyzer<OpenDashboardException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, OpenDashboardException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Add spring-boot-starter-security, and give users the roles DELAYQUEUE_VIEWER, DELAYQUEUE_PAYLOAD_VIEWER,"
                        + " DELAYQUEUE_OPERATOR and DELAYQUEUE_PURGER, or others by delayqueue.dashboard.view-roles,"
                        + " payload-roles, operate-roles and purge-roles. Set delayqueue.dashboard.open=true only if"
                        + " everyone who can reach it may see everything.",
                cause);
    }
}
