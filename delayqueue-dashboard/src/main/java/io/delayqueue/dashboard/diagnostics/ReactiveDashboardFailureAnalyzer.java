package io.delayqueue.dashboard.diagnostics;

import io.delayqueue.dashboard.autoconfigure.ReactiveDashboardException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes a dashboard in an application on WebFlux. */
final class ReactiveDashboardFailureAnalyzer extends AbstractFailureAnalyzer<ReactiveDashboardException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ReactiveDashboardException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Run the dashboard in an application of its own, with spring-boot-starter-webmvc and the same Redis, and"
                        + " remove delayqueue.dashboard.enabled here. Or use spring-boot-starter-webmvc here.",
                cause);
    }
}
