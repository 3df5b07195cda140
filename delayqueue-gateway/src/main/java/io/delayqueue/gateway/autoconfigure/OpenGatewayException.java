package io.delayqueue.gateway.autoconfigure;

/** The gateway is enabled, but can't tell its callers apart; or it is open although it has tokens. */
public final class OpenGatewayException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private OpenGatewayException(String message) {
        super(message);
    }

    static OpenGatewayException withoutCallers() {
        return new OpenGatewayException("The gateway would let everyone in: no callers are configured.");
    }

    static OpenGatewayException withoutKeys() {
        return new OpenGatewayException(
                "The endpoint for SQS clients would let everyone in: it has no key pairs. Give each caller"
                        + " one, by delayqueue.gateway.sqs.keys.<access-key-id>.* or delayqueue.gateway.sqs.key-file");
    }

    static OpenGatewayException withTokens() {
        return new OpenGatewayException(
                "delayqueue.gateway.open=true lets everyone in, although tokens are configured.");
    }
}
