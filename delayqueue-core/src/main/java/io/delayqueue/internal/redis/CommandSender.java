package io.delayqueue.internal.redis;

import io.delayqueue.internal.store.ConnectionChangedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands over one connection. Each command has an answer or an error within the command timeout, whatever timeouts the
 * user's client has; if the process stood still meanwhile, a moment after it goes on. A connection that fell silent or leads to a
 * replica is replaced.
 */
final class CommandSender {

    /** Pause before a command goes to the Cluster again whose keys were on their way to another server. */
    static final long ELSEWHERE_RETRY_MS = 50;

    /** A server that is well lists the others within milliseconds. */
    static final Duration REFRESH_TIMEOUT = Duration.ofSeconds(1);

    /**
     * A timer that is later than that has probably stood still with the whole process, as did the thread that reads replies: they get as
     * long again to be read. No shorter than blocking calls wait beyond the timeout, or they would hear no reason.
     */
    private static final long LATE_TIMER_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** For commands that may be sent again over later connections, as most may. */
    static final long ANY_CONNECTION = -1;

    private final CommandTarget target;
    private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> connection;
    private final ScheduledExecutorService timer;
    private final Duration timeout;
    private final Runnable onReplaced;
    private final SilenceDetector silence = new SilenceDetector();
    private final ConnectionNumbers numbers = new ConnectionNumbers();

    /** @param onReplaced runs when the sender gave its connection up */
    CommandSender(
            CommandTarget target,
            ReconnectingConnection<StatefulConnection<byte[], byte[]>> connection,
            ScheduledExecutorService timer,
            Duration timeout,
            Runnable onReplaced) {
        this.target = target;
        this.connection = connection;
        this.timer = timer;
        this.timeout = timeout;
        this.onReplaced = onReplaced;
    }

    /** A command to be sent. */
    interface Command<R> extends Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<R>> {}

    /**
     * Sends a command and decodes its answer.
     *
     * @param operation name for error messages, such as {@code claim}
     * @param key any key of the command, which decides to which server it goes
     * @param ifNoScript the command to send instead if Redis does not know the script; null if there is no script
     */
    <R, T> CompletableFuture<T> send(
            String operation,
            @Nullable String topic,
            byte[] key,
            Command<R> command,
            @Nullable Command<R> ifNoScript,
            Function<? super R, ? extends T> decoder) {
        return send(operation, topic, key, command, ifNoScript, decoder, ANY_CONNECTION);
    }

    /**
     * As {@link #send}, for a command that fails when the connection breaks, rather than be sent again, and goes to no other server.
     *
     * @param expected number of the connection to the key's server that the caller decided to send it over, or {@link #ANY_CONNECTION};
     *     if it has another number, the command is not sent, and the answer is a {@link ConnectionChangedException}
     */
    <R, T> CompletableFuture<T> send(
            String operation,
            @Nullable String topic,
            byte[] key,
            Command<R> command,
            @Nullable Command<R> ifNoScript,
            Function<? super R, ? extends T> decoder,
            long expected) {
        SentCommand<R, T> sent = new SentCommand<>(operation, topic, key, command, ifNoScript, decoder, expected);
        sent.begin();
        return sent.result;
    }

    private void unanswered(Object server, StatefulConnection<byte[], byte[]> open, long sentNanos) {
        target.refresh();
        if (silence.unanswered(server, sentNanos)) {
            target.refreshExcluding(server, open, REFRESH_TIMEOUT)
                    .thenRun(() -> replace(open, "the server does not answer"));
        }
    }

    private void replace(StatefulConnection<byte[], byte[]> open, String reason) {
        connection.replace(open, reason);
        onReplaced.run();
    }

    private final class SentCommand<R, T> {

        final CompletableFuture<T> result = new CompletableFuture<>();
        private final String operation;
        private final @Nullable String topic;
        private final byte[] key;
        private final Command<R> command;
        private final @Nullable Command<R> ifNoScript;
        private final Function<? super R, ? extends T> decoder;
        private final long expected;
        private final Runnable withdraw = this::withdraw;
        private final long begunNanos = System.nanoTime();
        private volatile @Nullable StatefulConnection<byte[], byte[]> sentOver;
        private volatile @Nullable RedisFuture<R> reply;
        private volatile Object server = this;
        private volatile @Nullable Throwable elsewhere;
        private boolean waitedForReplies;

        SentCommand(
                String operation,
                @Nullable String topic,
                byte[] key,
                Command<R> command,
                @Nullable Command<R> ifNoScript,
                Function<? super R, ? extends T> decoder,
                long expected) {
            this.expected = expected;
            this.operation = operation;
            this.topic = topic;
            this.key = key;
            this.command = command;
            this.ifNoScript = ifNoScript;
            this.decoder = decoder;
        }

        void begin() {
            Future<?> expiry = timer.schedule(this::expire, timeout.toNanos(), TimeUnit.NANOSECONDS);
            result.whenComplete((value, error) -> expiry.cancel(false));
            connection.connection().whenComplete((open, error) -> {
                if (error != null) {
                    fail(error);
                } else {
                    sentOver = open;
                    dispatch(command, open);
                }
            });
        }

        private void dispatch(Command<R> next, StatefulConnection<byte[], byte[]> open) {
            if (result.isDone()) {
                return;
            }
            try {
                server = target.serverOf(open, key);
                if (expected == ANY_CONNECTION) {
                    send(next, open, target.commands(open));
                } else {
                    target.connectionTo(open, key)
                            .thenAccept(one -> bindAndSend(next, open, one))
                            .exceptionally(error -> {
                                fail(error);
                                return null;
                            });
                }
            } catch (Throwable e) {
                fail(e);
            }
        }

        private void bindAndSend(
                Command<R> next, StatefulConnection<byte[], byte[]> open, StatefulRedisConnection<byte[], byte[]> one) {
            ConnectionNumbers.Numbered numbered = numbers.of(one);
            boolean isExpected = numbered.bind(expected, withdraw);
            result.whenComplete((value, error) -> numbered.unbind(withdraw));
            if (isExpected) {
                send(next, open, one.async());
            } else {
                result.completeExceptionally(
                        new ConnectionChangedException(operation, String.valueOf(topic), numbered.number()));
            }
        }

        private void send(
                Command<R> next,
                StatefulConnection<byte[], byte[]> open,
                RedisClusterAsyncCommands<byte[], byte[]> commands) {
            RedisFuture<R> sent = next.apply(commands);
            reply = sent;
            if (result.isDone()) {
                // withdrawn meanwhile
                sent.cancel(true);
            }
            sent.whenComplete((value, error) -> replied(next, open, value, error));
        }

        private void replied(
                Command<R> sent, StatefulConnection<byte[], byte[]> open, R value, @Nullable Throwable error) {
            if (error == null) {
                silence.answered(server);
                decode(value);
            } else if (error instanceof RedisNoScriptException && ifNoScript != null && sent != ifNoScript) {
                dispatch(ifNoScript, open);
            } else if (RedisErrors.isElsewhere(error) && target.isSharded()) {
                elsewhere = error;
                silence.answered(server);
                target.refresh();
                timer.schedule(() -> dispatch(sent, open), ELSEWHERE_RETRY_MS, TimeUnit.MILLISECONDS);
            } else {
                checkConnection(error, open);
                fail(error);
            }
        }

        /** Draws conclusions from an error about the connection and the server behind it. */
        private void checkConnection(Throwable error, StatefulConnection<byte[], byte[]> open) {
            if (!ErrorReply.code(error).isEmpty()) {
                silence.answered(server);
            } else if (error instanceof RedisCommandTimeoutException) {
                // the client's own timeout, if it is the shorter one
                unanswered(server, open, begunNanos);
            } else {
                target.refresh();
            }
            if (RedisErrors.isReplica(error) && !target.isSharded()) {
                replace(open, "it leads to a replica");
            }
        }

        private void decode(R value) {
            T decoded;
            try {
                decoded = decoder.apply(value);
            } catch (Throwable e) {
                result.completeExceptionally(RedisErrors.unreadable(e, operation, topic));
                return;
            }
            result.complete(decoded);
        }

        private void fail(Throwable error) {
            result.completeExceptionally(RedisErrors.translate(error, operation, topic));
        }

        /** The connection broke: Lettuce drops what is cancelled before it sends the rest again. */
        private void withdraw() {
            result.completeExceptionally(RedisErrors.broken(operation, topic));
            RedisFuture<R> sent = reply;
            if (sent != null) {
                sent.cancel(true);
            }
        }

        private void expire() {
            long lateNanos = System.nanoTime() - begunNanos - timeout.toNanos();
            if (lateNanos > LATE_TIMER_NANOS && !waitedForReplies) {
                waitedForReplies = true;
                timer.schedule(this::expire, LATE_TIMER_NANOS, TimeUnit.NANOSECONDS);
                // else it has dropped the task
                if (!timer.isShutdown()) {
                    return;
                }
            }
            if (!result.completeExceptionally(timedOut())) {
                return;
            }
            RedisFuture<R> sent = reply;
            boolean hasReply = sent != null && sent.isDone();
            if (sent != null) {
                sent.cancel(true);
            }
            StatefulConnection<byte[], byte[]> open = sentOver;
            if (open != null && !hasReply) {
                unanswered(server, open, begunNanos);
            }
        }

        private Throwable timedOut() {
            Throwable refusal = elsewhere;
            if (refusal != null) {
                return RedisErrors.translate(refusal, operation, topic);
            }
            return sentOver == null
                    ? RedisErrors.unconnected(operation, topic, timeout, connection.lastFailure())
                    : RedisErrors.unanswered(operation, topic, timeout);
        }
    }
}
