package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.gateway.http.OwnThreadSender;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.sqs.action.SendMessage;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Sends of SQS clients by threads that may wait for a journal's database: those of the HTTP API, so that neither endpoint takes more
 * connections of the database beside the other. A key gets half of the waiting places. Safe for use by many threads.
 */
final class JournalledSends implements SendMessage.Sender {

    /** Longer than Redis takes while all is well. The message is recorded already: its send goes on while Redis is away. */
    private static final Duration REDIS = Duration.ofMillis(200);

    private final OwnThreadSender sender;
    private final CallerShares shares = new CallerShares(OwnThreadSender.MOST_WAITING);

    /** Sends by this sender. */
    JournalledSends(OwnThreadSender sender) {
        this.sender = sender;
    }

    @Override
    public CompletableFuture<ScheduleResult> send(Caller caller, OutgoingMessage message) {
        if (!shares.tryBegin(caller)) {
            throw unavailable(shares.most() + " sends of the key " + caller.name()
                    + " wait already, its largest number; nothing was done");
        }
        CompletableFuture<ScheduleResult> sent;
        try {
            sent = sender.scheduleAsync(message, REDIS);
        } catch (ProblemException e) {
            shares.end(caller);
            throw unavailable(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            shares.end(caller);
            throw e;
        }
        return sent.handle((result, failure) -> {
            shares.end(caller);
            if (failure == null) {
                return result;
            }
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            throw cause instanceof ProblemException problem
                    ? unavailable(String.valueOf(problem.getMessage()))
                    : new CompletionException(cause);
        });
    }

    private static SqsException unavailable(String detail) {
        return new SqsException(SqsError.SERVICE_UNAVAILABLE, "Repeat the request: " + detail + ".");
    }
}
