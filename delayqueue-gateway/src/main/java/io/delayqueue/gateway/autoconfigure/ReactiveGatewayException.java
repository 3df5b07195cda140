package io.delayqueue.gateway.autoconfigure;

/** The gateway is enabled in a web application without servlets. */
public final class ReactiveGatewayException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ReactiveGatewayException() {
        super("The gateway is enabled, but this application runs on WebFlux, and the gateway needs servlets.");
    }
}
