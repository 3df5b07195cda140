package io.delayqueue.gateway.sqs.endpoint;

import io.delayqueue.gateway.sqs.action.Delivery;
import io.delayqueue.gateway.sqs.protocol.SqsAnswer;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Writes answers through to the clients' connections, for a bounded time each. Safe for use by several threads. */
final class AnswerWriter {

    /** The container bounds the time of each write: so these are small. */
    private static final int CHUNK = 16 * 1024;

    private final long timeoutNanos;
    private final long renewNanos;
    private final long longestQueueNanos;

    /**
     * A writer.
     *
     * @param timeout longest time for an answer: a client that reads more slowly holds a thread and its messages
     * @param deliveryLease lease of messages while they are written
     */
    AnswerWriter(Duration timeout, Duration deliveryLease) {
        this.timeoutNanos = timeout.toNanos();
        this.renewNanos = deliveryLease.toNanos() / 3;
        this.longestQueueNanos = deliveryLease.toNanos() / 2;
    }

    /** Time for which messages may wait until their answer is begun. */
    long longestQueueNanos() {
        return longestQueueNanos;
    }

    /**
     * Writes an answer.
     *
     * @param headFirst whether the client waited: the container did not look at its connection, and that it went away shows at a write
     *     after the one that its system refused
     * @throws IOException if the client went away, or is too slow
     */
    void write(SqsAnswer answer, HttpServletResponse response, @Nullable Delivery delivery, boolean headFirst)
            throws IOException {
        response.setStatus(answer.status());
        response.setContentType(answer.contentType());
        answer.headers().forEach(response::setHeader);
        byte[] body = answer.body();
        response.setContentLength(body.length);
        if (headFirst && delivery != null && body.length > 0) {
            response.flushBuffer();
        }
        ServletOutputStream out = response.getOutputStream();
        long begun = System.nanoTime();
        long renewed = begun;
        for (int offset = 0; offset < body.length; offset += CHUNK) {
            long now = System.nanoTime();
            if (now - begun > timeoutNanos) {
                throw new IOException("the client reads too slowly");
            }
            if (delivery != null && now - renewed > renewNanos) {
                delivery.renew();
                renewed = now;
            }
            if (delivery != null && body.length - offset <= CHUNK) {
                // before the client can have the end of the answer, and with it a receipt
                delivery.beginVisibility();
            }
            out.write(body, offset, Math.min(CHUNK, body.length - offset));
        }
        response.flushBuffer();
    }
}
