package io.delayqueue.internal.store;

import io.delayqueue.DelayQueueException;

/** A call was not sent: the connection to the server of its partition is another one than the caller expected. */
public final class ConnectionChangedException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final long connection;

    /**
     * A call that was not sent.
     *
     * @param operation the call's name, such as {@code claim}
     * @param connection number of the present connection
     */
    public ConnectionChangedException(String operation, String topic, long connection) {
        super(operation + " of topic '" + topic + "' was not sent over another connection", topic, null, null);
        this.connection = connection;
    }

    /** Number of the present connection. */
    public long connection() {
        return connection;
    }
}
