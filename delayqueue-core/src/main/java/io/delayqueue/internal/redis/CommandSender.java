package io.delayqueue.internal.redis;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands over the link. Each has an answer or an error within the command timeout, whatever the client's own
 * time-outs are; a link that went silent or leads to a replica is given up.
 */
final class CommandSender {

    static final long ELSEWHERE_MS = 50;

    private static final Duration LOOKING = Duration.ofSeconds(1);
    private static final int SILENT_CALLS = 2;
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Topology servers;
    private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> link;
    private final ScheduledExecutorService timer;
    private final Duration timeout;
    private final Runnable onGivenUp;
    private final Map<Object, Silence> silences = new ConcurrentHashMap<>();

    CommandSender(
            Topology servers,
            ReconnectingConnection<StatefulConnection<byte[], byte[]>> link,
            ScheduledExecutorService timer,
            Duration timeout,
            Runnable onGivenUp) {
        this.servers = servers;
        this.link = link;
        this.timer = timer;
        this.timeout = timeout;
        this.onGivenUp = onGivenUp;
    }

    /** A command to be sent. */
    interface Command<R> extends Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<R>> {}

    /**
     * Sends a command and decodes its answer.
     *
     * @param doing what it is for, such as {@code claim}
     * @param key one of those that the command is about
     * @param ifNoScript what to send if Redis does not know the script that the command names
     */
    <R, T> CompletableFuture<T> send(
            String doing,
            @Nullable String topic,
            byte[] key,
            Command<R> command,
            @Nullable Command<R> ifNoScript,
            Function<? super R, ? extends T> decoder) {
        Call<R, T> call = new Call<>(doing, topic, key, command, ifNoScript, decoder);
        call.begin();
        return call.result;
    }

    private void heard(Object server) {
        if (!silences.isEmpty()) {
            silences.remove(server);
        }
    }

    private void notHeard(Object server, StatefulConnection<byte[], byte[]> connection, long begun) {
        servers.lookAgain();
        Silence silence = silences.merge(server, new Silence(1, begun), Silence::goesOn);
        if (silence.calls >= SILENT_CALLS && System.nanoTime() - silence.since > SILENT_NANOS) {
            silences.clear();
            servers.lookAround(connection, server, LOOKING).thenRun(() -> {
                link.renew(connection, "the old one does not answer");
                onGivenUp.run();
            });
        }
    }

    /** Calls without an answer since the last answer of a server, and when the first of them began. */
    private record Silence(int calls, long since) {

        Silence goesOn(Silence another) {
            return new Silence(calls + another.calls, since);
        }
    }

    private final class Call<R, T> {

        final CompletableFuture<T> result = new CompletableFuture<>();
        private final String doing;
        private final @Nullable String topic;
        private final byte[] key;
        private final Command<R> command;
        private final @Nullable Command<R> ifNoScript;
        private final Function<? super R, ? extends T> decoder;
        private final long begun = System.nanoTime();
        private volatile @Nullable StatefulConnection<byte[], byte[]> connection;
        private volatile @Nullable RedisFuture<R> sent;
        private volatile Object server = this;
        private volatile @Nullable Throwable putOff;

        Call(
                String doing,
                @Nullable String topic,
                byte[] key,
                Command<R> command,
                @Nullable Command<R> ifNoScript,
                Function<? super R, ? extends T> decoder) {
            this.doing = doing;
            this.topic = topic;
            this.key = key;
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

        private void dispatch(Command<R> next, StatefulConnection<byte[], byte[]> open) {
            if (result.isDone()) {
                return;
            }
            try {
                server = servers.serverOf(open, key);
                RedisFuture<R> reply = next.apply(servers.commands(open));
                sent = reply;
                reply.whenComplete((value, error) -> answered(next, open, value, error));
            } catch (Throwable e) {
                fail(e);
            }
        }

        private void answered(
                Command<R> asked, StatefulConnection<byte[], byte[]> open, R value, @Nullable Throwable error) {
            if (error == null) {
                heard(server);
                decode(value);
            } else if (error instanceof RedisNoScriptException && ifNoScript != null && asked != ifNoScript) {
                dispatch(ifNoScript, open);
            } else if (RedisErrors.isElsewhere(error) && servers.areMany()) {
                putOff = error;
                heard(server);
                servers.lookAgain();
                timer.schedule(() -> dispatch(asked, open), ELSEWHERE_MS, TimeUnit.MILLISECONDS);
            } else {
                learnFrom(error, open);
                fail(error);
            }
        }

        /** What an error tells of the connection. */
        private void learnFrom(Throwable error, StatefulConnection<byte[], byte[]> open) {
            String code = RedisErrors.code(error);
            if (!code.isEmpty()) {
                heard(server);
            } else if (error instanceof RedisCommandTimeoutException) {
                // the client's own time-out, where it is the shorter one
                notHeard(server, open, begun);
            } else {
                servers.lookAgain();
            }
            boolean replica = code.equals("READONLY") || code.equals("MASTERDOWN");
            if (replica && !servers.areMany()) {
                link.renew(open, "the old one leads to a replica");
                onGivenUp.run();
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
            Throwable reason = putOff;
            if (result.completeExceptionally(
                    reason != null
                            ? RedisErrors.translate(reason, doing, topic)
                            : connection == null
                                    ? RedisErrors.unconnected(doing, topic, timeout, link.lastFailure())
                                    : RedisErrors.unanswered(doing, topic, timeout))) {
                RedisFuture<R> waiting = sent;
                boolean answered = waiting != null && waiting.isDone();
                if (waiting != null) {
                    waiting.cancel(true);
                }
                StatefulConnection<byte[], byte[]> silent = connection;
                if (silent != null && !answered) {
                    notHeard(server, silent, begun);
                }
            }
        }
    }
}
