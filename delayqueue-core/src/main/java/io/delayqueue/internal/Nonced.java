package io.delayqueue.internal;

/**
 * Has a nonce, which distinguishes a message from any other with the same id. A part of the API inherits it, so that its users
 * don't see it.
 */
public abstract class Nonced {

    private final String nonce;

    /** @param nonce random text */
    protected Nonced(String nonce) {
        this.nonce = nonce;
    }

    final String nonce() {
        return nonce;
    }
}
