package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ConnectionOpenerTests {

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<StatefulRedisConnection<byte[], byte[]>> connected = new CopyOnWriteArrayList<>();

    /** Starting the server takes longer than any of the tests may wait. */
    @BeforeAll
    static void startServer() {
        assertThat(RedisServer.client()).isNotNull();
    }

    @AfterEach
    void stop() {
        timer.shutdownNow();
        connected.forEach(StatefulRedisConnection::close);
    }

    @Test
    void theServersReasonIsReportedAlthoughLettuceLostItAtFirst() {
        RedisConnectionException lost =
                new RedisConnectionException("refused", new IllegalStateException("handler not registered"));
        RedisConnectionException reason =
                new RedisConnectionException("refused", new RedisCommandExecutionException("NOAUTH Who are you?"));

        RedisConnectionException closed =
                new RedisConnectionException("unable", new RedisConnectionException("closed prematurely"));

        assertThat(failureOf(lost, reason)).isSameAs(reason);
        assertThat(failureOf(closed, lost, closed, reason)).isSameAs(reason);
        assertThat(failureOf(lost, lost, lost, reason)).isSameAs(reason);
        assertThat(failureOf(reason)).isSameAs(reason);
    }

    @Test
    void aReasonThatIsAlwaysLostIsNotAskedForWithoutEnd() {
        RedisConnectionException[] lost = Stream.generate(
                        () -> new RedisConnectionException("refused", new IllegalStateException("not registered")))
                .limit(100)
                .toArray(RedisConnectionException[]::new);

        assertThat(failureOf(lost)).isIn((Object[]) lost).isNotSameAs(lost[99]);
    }

    @Test
    void theLastFailureIsForgottenOnceAConnectionIsOpen() {
        RedisConnectionException refused =
                new RedisConnectionException("refused", new RedisCommandExecutionException("LOADING"));
        Queue<Supplier<StatefulRedisConnection<byte[], byte[]>>> attempts = new ArrayDeque<>(List.of(
                () -> {
                    throw refused;
                },
                this::connect));
        ConnectionOpener<StatefulRedisConnection<byte[], byte[]>> opener =
                opener(() -> attempts.remove().get());

        assertThat(opener.open()
                        .handle((connection, error) -> error)
                        .orTimeout(20, TimeUnit.SECONDS)
                        .join())
                .isSameAs(refused);
        assertThat(opener.lastFailure()).isSameAs(refused);
        opener.open().orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(opener.lastFailure()).isNull();
    }

    @Test
    void anAttemptThatHangsGetsAnotherBesideItAndIsClosedWhenItSucceedsTooLate() {
        CompletableFuture<Void> hanging = new CompletableFuture<>();
        Queue<CompletableFuture<Void>> mayConnect =
                new ArrayDeque<>(List.of(hanging, CompletableFuture.completedFuture(null)));
        ConnectionOpener<StatefulRedisConnection<byte[], byte[]>> opener = opener(() -> {
            mayConnect.remove().orTimeout(60, TimeUnit.SECONDS).join();
            return connect();
        });

        CompletableFuture<StatefulRedisConnection<byte[], byte[]>> result = opener.open();

        assertThat(opener.open()).as("shared while it is under way").isSameAs(result);
        StatefulRedisConnection<byte[], byte[]> open =
                result.orTimeout(20, TimeUnit.SECONDS).join();
        hanging.complete(null);
        await().atMost(20, TimeUnit.SECONDS)
                .until(() -> connected.size() == 2 && !connected.get(1).isOpen());
        assertThat(open).isSameAs(connected.get(0));
        assertThat(open.isOpen()).isTrue();
    }

    @Test
    void aConnectionThatOpensAfterCancellationIsClosed() {
        CompletableFuture<Void> mayConnect = new CompletableFuture<>();
        CompletableFuture<Void> begun = new CompletableFuture<>();
        ConnectionOpener<StatefulRedisConnection<byte[], byte[]>> opener = opener(() -> {
            begun.complete(null);
            mayConnect.orTimeout(20, TimeUnit.SECONDS).join();
            return connect();
        });
        CompletableFuture<StatefulRedisConnection<byte[], byte[]>> result = opener.open();
        begun.orTimeout(20, TimeUnit.SECONDS).join();

        opener.cancel();
        mayConnect.complete(null);

        await().atMost(20, TimeUnit.SECONDS)
                .until(() -> connected.size() == 1 && !connected.get(0).isOpen());
        assertThat(result).isNotDone();
    }

    /** More often than attempts may be made at a time. */
    @Test
    void aMachineWithoutAThreadIsTriedAgainUntilItHasOne() {
        AtomicInteger refused = new AtomicInteger();
        ScheduledExecutorService hurried = new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
                return super.schedule(task, delay / 1_000, unit);
            }
        };
        try {
            ConnectionOpener<StatefulRedisConnection<byte[], byte[]>> opener =
                    new ConnectionOpener<>("test", this::connect, hurried, task -> new Thread(task) {
                        @Override
                        public void start() {
                            if (refused.get() < 40) {
                                refused.incrementAndGet();
                                throw new OutOfMemoryError("unable to create native thread");
                            }
                            super.start();
                        }
                    });

            assertThat(opener.open().orTimeout(20, TimeUnit.SECONDS).join().isOpen())
                    .isTrue();
            assertThat(refused).hasValue(40);
            assertThat(opener.lastFailure()).isNull();
        } finally {
            hurried.shutdownNow();
        }
    }

    private StatefulRedisConnection<byte[], byte[]> connect() {
        StatefulRedisConnection<byte[], byte[]> connection =
                RedisServer.client().connect(ByteArrayCodec.INSTANCE);
        connected.add(connection);
        return connection;
    }

    private ConnectionOpener<StatefulRedisConnection<byte[], byte[]>> opener(
            Supplier<StatefulRedisConnection<byte[], byte[]>> connect) {
        return new ConnectionOpener<>("test", connect, timer);
    }

    private Throwable failureOf(RedisConnectionException... failures) {
        Queue<RedisConnectionException> next = new ArrayDeque<>(List.of(failures));
        return opener(() -> {
                    throw next.remove();
                })
                .open()
                .handle((connection, error) -> error)
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }
}
