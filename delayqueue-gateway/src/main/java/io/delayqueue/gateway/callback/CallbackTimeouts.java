package io.delayqueue.gateway.callback;

import java.time.Duration;

/**
 * Time limits of a call. The lease of its message outlives them.
 *
 * @param connect to connect, each address of the host apart
 * @param response without a byte of the response
 * @param total of the whole call
 * @param connectionLife of a connection: then the host is resolved again
 */
record CallbackTimeouts(Duration connect, Duration response, Duration total, Duration connectionLife) {

    static final CallbackTimeouts DEFAULTS = new CallbackTimeouts(
            Duration.ofSeconds(5), Duration.ofSeconds(15), Duration.ofSeconds(30), Duration.ofMinutes(1));
}
