package io.delayqueue.gateway.autoconfigure;

/** The gateway is enabled, but nothing tells its callers apart. */
public final class OpenGatewayException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    OpenGatewayException() {
        super("The gateway would let everyone in: no callers are configured.");
    }
}
