package io.delayqueue.internal;

/** Reads nonces, for the store. */
public final class Nonces {

    private Nonces() {}

    /** The nonce of a message. */
    public static String of(Nonced message) {
        return message.nonce();
    }
}
