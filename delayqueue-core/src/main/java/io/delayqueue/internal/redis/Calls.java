package io.delayqueue.internal.redis;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands over the link. Each has an answer or an error within the command timeout, whatever the client's own
 * time-outs are; a link that went silent or leads to a replica is given up.
 */
final class Calls {

    private static final int SILENT_CALLS = 2;
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Link<StatefulRedisConnection<byte[], byte[]>> link;
    private final ScheduledExecutorService timer;
    private final Duration timeout;
    private final Runnable onSilence;

    /** Calls without an answer since the last answer, and when the first of them began. */
    private final AtomicInteger unanswered = new AtomicInteger();

    private volatile long silentSince;

    Calls(
            Link<StatefulRedisConnection<byte[], byte[]>> link,
            ScheduledExecutorService timer,
            Duration timeout,
            Runnable onSilence) {
        this.link = link;
        this.timer = timer;
        this.timeout = timeout;
        this.onSilence = onSilence;
    }

    /** A command to be sent. */
    interface Command<R> extends Function<RedisAsyncCommands<byte[], byte[]>, RedisFuture<R>> {}

    /**
     * Sends a command and decodes its answer.
     *
     * @param doing what it is for, such as {@code claim}
     * @param ifNoScript what to send if Redis does not know the script that the command names
     */
    <R, T> CompletableFuture<T> send(
            String doing,
            @Nullable String topic,
            Command<R> command,
            @Nullable Command<R> ifNoScript,
            Function<? super R, ? extends T> decoder) {
        Call<R, T> call = new Call<>(doing, topic, command, ifNoScript, decoder);
        call.begin();
        return call.result;
    }

    private void heard() {
        if (unanswered.get() != 0) {
            unanswered.set(0);
        }
    }

    private void notHeard(StatefulRedisConnection<byte[], byte[]> connection, long begun) {
        int calls = unanswered.incrementAndGet();
        if (calls == 1) {
            silentSince = begun;
        } else if (calls >= SILENT_CALLS && System.nanoTime() - silentSince > SILENT_NANOS) {
            unanswered.set(0);
            link.renew(connection, "the old one does not answer");
            onSilence.run();
        }
    }

    private final class Call<R, T> {

        final CompletableFuture<T> result = new CompletableFuture<>();
        private final String doing;
        private final @Nullable String topic;
        private final Command<R> command;
        private final @Nullable Command<R> ifNoScript;
        private final Function<? super R, ? extends T> decoder;
        private final long begun = System.nanoTime();
        private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;
        private volatile @Nullable RedisFuture<R> sent;

        Call(
                String doing,
                @Nullable String topic,
                Command<R> command,
                @Nullable Command<R> ifNoScript,
                Function<? super R, ? extends T> decoder) {
            this.doing = doing;
            this.topic = topic;
            this.command = command;
            this.ifNoScript = ifNoScript;
            this.decoder = decoder;
        }

        void begin() {
            Future<?> expiry = timer.schedule(this::expire, timeout.toNanos(), TimeUnit.NANOSECONDS);
            result.whenComplete((value, error) -> expiry.cancel(false));
            link.connection().whenComplete((open, error) -> {
                if (error != null) {
                    fail(error);
                } else {
                    connection = open;
                    dispatch(command, open);
                }
            });
        }

        private void dispatch(Command<R> next, StatefulRedisConnection<byte[], byte[]> open) {
            if (result.isDone()) {
                return;
            }
            try {
                RedisFuture<R> reply = next.apply(open.async());
                sent = reply;
                reply.whenComplete((value, error) -> answered(next, open, value, error));
            } catch (Throwable e) {
                fail(e);
            }
        }

        private void answered(
                Command<R> asked, StatefulRedisConnection<byte[], byte[]> open, R value, @Nullable Throwable error) {
            if (error == null) {
                heard();
                decode(value);
            } else if (error instanceof RedisNoScriptException && ifNoScript != null && asked != ifNoScript) {
                dispatch(ifNoScript, open);
            } else {
                learnFrom(error, open);
                fail(error);
            }
        }

        /** What an error tells of the connection. */
        private void learnFrom(Throwable error, StatefulRedisConnection<byte[], byte[]> open) {
            String code = RedisErrors.code(error);
            if (!code.isEmpty()) {
                heard();
            } else if (error instanceof RedisCommandTimeoutException) {
                // the client's own time-out, where it is the shorter one
                notHeard(open, begun);
            }
            if (code.equals("READONLY")) {
                link.renew(open, "the old one leads to a replica");
            }
        }

        private void decode(R value) {
            T decoded;
            try {
                decoded = decoder.apply(value);
            } catch (Throwable e) {
                result.completeExceptionally(RedisErrors.unreadable(e, doing, topic));
                return;
            }
            result.complete(decoded);
        }

        private void fail(Throwable error) {
            result.completeExceptionally(RedisErrors.translate(error, doing, topic));
        }

        private void expire() {
            Throwable failure = connection == null ? link.lastFailure() : null;
            if (result.completeExceptionally(RedisErrors.timeout(doing, topic, timeout, failure))) {
                RedisFuture<R> waiting = sent;
                if (waiting != null) {
                    waiting.cancel(true);
                }
                StatefulRedisConnection<byte[], byte[]> silent = connection;
                if (silent != null) {
                    notHeard(silent, begun);
                }
            }
        }
    }
}
