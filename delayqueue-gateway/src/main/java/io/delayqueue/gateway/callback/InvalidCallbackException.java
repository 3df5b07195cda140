package io.delayqueue.gateway.callback;

/** A property of callbacks is wrong. The text does not contain secrets. */
public final class InvalidCallbackException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String property;
    private final String reason;

    /**
     * A wrong property.
     *
     * @param reason in words, without its value
     */
    public InvalidCallbackException(String property, String reason) {
        super("Property '" + property + "' is wrong: " + reason);
        this.property = property;
        this.reason = reason;
    }

    /** Name of the property. */
    public String property() {
        return property;
    }

    /** The problem, in words. */
    public String reason() {
        return reason;
    }
}
