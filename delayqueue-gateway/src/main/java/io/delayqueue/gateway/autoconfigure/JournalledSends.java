package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.gateway.FutureFailures;
import io.delayqueue.gateway.http.OwnThreadSender;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.sqs.action.SendMessage;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Sends of SQS clients by threads that may wait for a journal's database. They are those of the HTTP API, so that neither endpoint takes
 * more connections of the database beside the other. Safe for use by many threads.
 */
final class JournalledSends implements SendMessage.Sender {

    /** Longer than Redis takes while all is well. The message is recorded already: its send goes on while Redis is unavailable. */
    private static final Duration REDIS = Duration.ofMillis(200);

    private final OwnThreadSender sender;

    /** Sends by this sender. */
    JournalledSends(OwnThreadSender sender) {
        this.sender = sender;
    }

    @Override
    public CompletableFuture<ScheduleResult> send(Caller caller, OutgoingMessage message) {
        CompletableFuture<ScheduleResult> sent;
        try {
            sent = sender.scheduleAsync(caller, message, REDIS);
        } catch (ProblemException e) {
            throw error(e);
        }
        return sent.handle((result, failure) -> {
            if (failure == null) {
                return result;
            }
            Throwable cause = FutureFailures.unwrap(failure);
            throw cause instanceof ProblemException problem ? error(problem) : new CompletionException(cause);
        });
    }

    private static SqsException error(ProblemException problem) {
        boolean overItsShare = problem.type() == ProblemType.TOO_MANY_REQUESTS;
        return new SqsException(
                overItsShare ? SqsError.REQUEST_THROTTLED : SqsError.SERVICE_UNAVAILABLE,
                "Repeat the request: " + problem.getMessage() + ".");
    }
}
