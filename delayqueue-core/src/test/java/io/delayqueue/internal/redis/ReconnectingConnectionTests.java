package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReconnectingConnectionTests {

    private static final long LINGER_MS = 3000;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    /** Else a consumer that subscribes between the two would never be woken. */
    @Test
    void theConnectionIsInUseWhenTheListenerHearsOfIt() {
        CompletableFuture<Boolean> inUse = new CompletableFuture<>();
        AtomicReference<ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>>> itself =
                new AtomicReference<>();
        ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>> connection = connection(
                ReconnectingConnectionTests::connect,
                0,
                open -> inUse.complete(itself.get().isCurrent(open)));
        itself.set(connection);
        open(connection);

        assertThat(inUse.orTimeout(20, TimeUnit.SECONDS).join()).isTrue();
        close(connection);
    }

    @Test
    void aLingeringConnectionServesUntilAnotherIsOpenAndIsClosedLater() {
        AtomicReference<CompletableFuture<Void>> mayOpen =
                new AtomicReference<>(CompletableFuture.completedFuture(null));
        List<StatefulRedisConnection<byte[], byte[]>> opened = new CopyOnWriteArrayList<>();
        ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>> connection = connection(
                () -> {
                    mayOpen.get().orTimeout(20, TimeUnit.SECONDS).join();
                    return connect();
                },
                LINGER_MS,
                opened::add);
        StatefulRedisConnection<byte[], byte[]> first = open(connection);
        await().until(() -> connection.isCurrent(first));
        mayOpen.set(new CompletableFuture<>());

        connection.replace("a reason");
        connection.replace("the same again");

        assertThat(open(connection)).isSameAs(first);
        mayOpen.get().complete(null);
        await().until(() -> open(connection) != first);
        assertThat(first.isOpen()).isTrue();
        await().until(() -> !first.isOpen());
        assertThat(opened).containsExactly(first, open(connection));
        await().until(() -> connection.isCurrent(opened.get(1)));
        connection.replace("so that one lingers");
        await().until(() -> opened.size() == 3);
        close(connection);
        assertThat(opened).noneMatch(StatefulRedisConnection::isOpen);
    }

    @Test
    void aReplacementThatHangsGetsAnotherBesideIt() {
        CompletableFuture<Void> hanging = new CompletableFuture<>();
        Queue<CompletableFuture<Void>> mayOpen = new ArrayDeque<>(
                List.of(CompletableFuture.completedFuture(null), hanging, CompletableFuture.completedFuture(null)));
        ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>> connection = connection(
                () -> {
                    mayOpen.remove().orTimeout(60, TimeUnit.SECONDS).join();
                    return connect();
                },
                LINGER_MS,
                open -> {});
        StatefulRedisConnection<byte[], byte[]> first = open(connection);
        await().until(() -> connection.isCurrent(first));

        connection.replace("a reason");

        await().atMost(20, TimeUnit.SECONDS).until(() -> open(connection) != first);
        StatefulRedisConnection<byte[], byte[]> second = open(connection);
        hanging.complete(null);
        await().during(200, TimeUnit.MILLISECONDS).until(() -> open(connection) == second);
        close(connection);
    }

    private ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>> connection(
            Supplier<StatefulRedisConnection<byte[], byte[]>> connect,
            long lingerMs,
            Consumer<StatefulRedisConnection<byte[], byte[]>> onOpen) {
        return new ReconnectingConnection<>("test", connect, timer, lingerMs, new ReconnectingConnection.Listener<>() {
            @Override
            public void opened(StatefulRedisConnection<byte[], byte[]> open) {
                onOpen.accept(open);
            }
        });
    }

    private static StatefulRedisConnection<byte[], byte[]> connect() {
        return RedisServer.client().connect(ByteArrayCodec.INSTANCE);
    }

    private static StatefulRedisConnection<byte[], byte[]> open(
            ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>> connection) {
        return connection.connection().orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static void close(ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>> connection) {
        connection.close().orTimeout(20, TimeUnit.SECONDS).join();
    }
}
