package io.delayqueue.gateway.diagnostics;

import io.delayqueue.gateway.autoconfigure.OpenGatewayException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes a gateway without callers. */
final class OpenGatewayFailureAnalyzer extends AbstractFailureAnalyzer<OpenGatewayException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, OpenGatewayException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Give each caller a token by delayqueue.gateway.tokens.<name>.*, declare a bean of type"
                        + " io.delayqueue.gateway.security.Callers, or set delayqueue.gateway.open=true if the"
                        + " network lets in only programs that may do everything.",
                cause);
    }
}
