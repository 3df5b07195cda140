package io.delayqueue.gateway.diagnostics;

import io.delayqueue.gateway.autoconfigure.OpenGatewayException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes a gateway that would be open, and was not meant to be. */
final class OpenGatewayFailureAnalyzer extends AbstractFailureAnalyzer<OpenGatewayException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, OpenGatewayException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Give each caller a token, by delayqueue.gateway.tokens.<name>.* or delayqueue.gateway.token-file. Or use"
                        + " Spring Security: users with the roles DELAYQUEUE_PRODUCER, DELAYQUEUE_CONSUMER and"
                        + " DELAYQUEUE_OPERATOR are callers. Or declare a bean of type"
                        + " io.delayqueue.gateway.security.Callers. Set delayqueue.gateway.open=true, without tokens, only"
                        + " if every program that can reach it may do everything.",
                cause);
    }
}
