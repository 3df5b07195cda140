package io.delayqueue.gateway.diagnostics;

import io.delayqueue.gateway.autoconfigure.ReactiveGatewayException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes a gateway in an application on WebFlux. */
final class ReactiveGatewayFailureAnalyzer extends AbstractFailureAnalyzer<ReactiveGatewayException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ReactiveGatewayException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Run the gateway in an application of its own, with spring-boot-starter-webmvc and the same Redis, and"
                        + " remove delayqueue.gateway.enabled here. Or use spring-boot-starter-webmvc here: if both are on"
                        + " the class path, Spring Boot chooses MVC, unless spring.main.web-application-type says"
                        + " otherwise.",
                cause);
    }
}
