package io.delayqueue.gateway.sqs.endpoint;

import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.claim.AnswerTimes;
import io.delayqueue.gateway.claim.AnswerWriting;
import io.delayqueue.gateway.claim.AnsweredMessages;
import io.delayqueue.gateway.sqs.protocol.SqsAnswer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;

/** Writes answers to the clients' connections. Safe for use by several threads. */
final class AnswerWriter {

    private final AnswerTimes times;
    private final long longestQueueNanos;

    /**
     * A writer.
     *
     * @param timeout longest time for an answer: a client that reads more slowly keeps its messages from others
     * @param deliveryLease lease of messages while they are written
     * @param threads keep these times
     */
    AnswerWriter(Duration timeout, Duration deliveryLease, AnswerThreads threads) {
        this.times = AnswerTimes.of(timeout, deliveryLease, threads);
        this.longestQueueNanos = deliveryLease.toNanos() / 2;
    }

    /** Has a task run once messages have waited too long for their answer to begin. Returns what cancels it. */
    Runnable whenLate(Runnable task) {
        return times.threads().after(longestQueueNanos, task);
    }

    /** Writes an answer on this thread. */
    void write(SqsAnswer answer, HttpServletResponse response) throws IOException {
        writeHead(answer, response);
        response.getOutputStream().write(answer.body());
        response.flushBuffer();
    }

    /**
     * Writes the answer to an asynchronous request, without a thread while the client takes nothing, and ends the request. If this fails,
     * the messages are released.
     *
     * @param waited whether the client waited for its messages
     */
    void write(
            SqsAnswer answer,
            HttpServletResponse response,
            AsyncContext context,
            AnsweredMessages messages,
            boolean waited)
            throws IOException {
        writeHead(answer, response);
        AnswerWriting.begin(context, answer.body(), messages, waited, times);
    }

    private static void writeHead(SqsAnswer answer, HttpServletResponse response) {
        response.setStatus(answer.status());
        response.setContentType(answer.contentType());
        answer.headers().forEach(response::setHeader);
        response.setContentLength(answer.body().length);
    }
}
