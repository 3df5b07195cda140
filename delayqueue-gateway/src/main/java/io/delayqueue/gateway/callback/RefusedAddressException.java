package io.delayqueue.gateway.callback;

import java.net.UnknownHostException;

/** A host has an address to which no request is sent. The text names the host, not the address: responses may quote it. */
final class RefusedAddressException extends UnknownHostException {

    private static final long serialVersionUID = 1L;

    RefusedAddressException(String host) {
        super("host '" + host + "' has an address to which callbacks are not sent");
    }
}
