package io.delayqueue.gateway.diagnostics;

import io.delayqueue.gateway.callback.InvalidCallbackException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes a wrong property of callbacks, without its value: it may be a secret. */
final class InvalidCallbackFailureAnalyzer extends AbstractFailureAnalyzer<InvalidCallbackException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidCallbackException cause) {
        return new FailureAnalysis(
                "A callback can't be sent as configured: property '" + cause.property() + "': " + cause.reason() + ".",
                "Correct the property. URLs are https, unless delayqueue.gateway.callbacks.allow-http is true; addresses"
                        + " of private networks need delayqueue.gateway.callbacks.allowed-ranges, other ports"
                        + " delayqueue.gateway.callbacks.ports. A secret is made by: echo whsec_$(openssl rand -base64 32)",
                cause);
    }
}
