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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReconnectingConnectionTests {

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    @Test
    void theServersReasonIsToldAlthoughLettuceLostItAtFirst() {
        RedisConnectionException lost =
                new RedisConnectionException("refused", new IllegalStateException("handler not registered"));
        RedisConnectionException told =
                new RedisConnectionException("refused", new RedisCommandExecutionException("NOAUTH Who are you?"));

        RedisConnectionException closed =
                new RedisConnectionException("unable", new RedisConnectionException("closed prematurely"));

        assertThat(failureOf(lost, told)).isSameAs(told);
        assertThat(failureOf(closed, lost, closed, told)).isSameAs(told);
        assertThat(failureOf(lost, lost, lost, told)).isSameAs(told);
        assertThat(failureOf(told)).isSameAs(told);
    }

    @Test
    void aReasonThatIsNeverToldIsNotAskedForWithoutEnd() {
        RedisConnectionException[] lost = Stream.generate(
                        () -> new RedisConnectionException("refused", new IllegalStateException("not registered")))
                .limit(100)
                .toArray(RedisConnectionException[]::new);

        assertThat(failureOf(lost)).isIn((Object[]) lost).isNotSameAs(lost[99]);
    }

    /** Else a consumer that subscribes between the two would never be woken. */
    @Test
    void theConnectionIsInUseWhenItsOpeningIsTold() {
        CompletableFuture<Boolean> openWhenTold = new CompletableFuture<>();
        AtomicReference<ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>>> itself =
                new AtomicReference<>();
        ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>> link = new ReconnectingConnection<>(
                "test",
                () -> RedisServer.client().connect(ByteArrayCodec.INSTANCE),
                timer,
                connection -> openWhenTold.complete(itself.get().isOpen(connection)),
                () -> {});
        itself.set(link);
        link.connection().orTimeout(20, TimeUnit.SECONDS).join();

        assertThat(openWhenTold.orTimeout(20, TimeUnit.SECONDS).join()).isTrue();
        link.close().orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void whatMayStillBringAnswersServesUntilAnotherIsOpenAndIsClosedLater() {
        AtomicReference<CompletableFuture<Void>> mayOpen =
                new AtomicReference<>(CompletableFuture.completedFuture(null));
        List<StatefulRedisConnection<byte[], byte[]>> told = new CopyOnWriteArrayList<>();
        ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>> link = new ReconnectingConnection<>(
                "test",
                () -> {
                    mayOpen.get().orTimeout(20, TimeUnit.SECONDS).join();
                    return RedisServer.client().connect(ByteArrayCodec.INSTANCE);
                },
                timer,
                told::add,
                () -> {},
                300);
        StatefulRedisConnection<byte[], byte[]> first = open(link);
        await().until(() -> link.isOpen(first));
        mayOpen.set(new CompletableFuture<>());

        link.renew("a reason");
        link.renew("the same again");

        assertThat(open(link)).isSameAs(first);
        mayOpen.get().complete(null);
        await().until(() -> open(link) != first);
        assertThat(first.isOpen()).isTrue();
        await().until(() -> !first.isOpen());
        assertThat(told).containsExactly(first, open(link));
        await().until(() -> link.isOpen(told.get(1)));
        link.renew("so that one lingers");
        await().until(() -> told.size() == 3);
        link.close().orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(told).noneMatch(StatefulRedisConnection::isOpen);
    }

    @Test
    void aReplacementThatHangsIsNotWaitedFor() {
        Queue<CompletableFuture<Void>> mayOpen = new ArrayDeque<>(List.of(
                CompletableFuture.completedFuture(null),
                new CompletableFuture<>(),
                CompletableFuture.completedFuture(null)));
        CompletableFuture<?> hanging = mayOpen.toArray(CompletableFuture[]::new)[1];
        ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>> link = new ReconnectingConnection<>(
                "test",
                () -> {
                    mayOpen.remove().orTimeout(60, TimeUnit.SECONDS).join();
                    return RedisServer.client().connect(ByteArrayCodec.INSTANCE);
                },
                timer,
                connection -> {},
                () -> {},
                300);
        StatefulRedisConnection<byte[], byte[]> first = open(link);
        await().until(() -> link.isOpen(first));

        link.renew("a reason");

        await().atMost(20, TimeUnit.SECONDS).until(() -> open(link) != first);
        StatefulRedisConnection<byte[], byte[]> second = open(link);
        hanging.complete(null);
        await().during(200, TimeUnit.MILLISECONDS).until(() -> open(link) == second);
        link.close().orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static StatefulRedisConnection<byte[], byte[]> open(
            ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>> link) {
        return link.connection().orTimeout(20, TimeUnit.SECONDS).join();
    }

    private Throwable failureOf(RedisConnectionException... failures) {
        Queue<RedisConnectionException> next = new ArrayDeque<>(List.of(failures));
        ReconnectingConnection<StatefulRedisConnection<byte[], byte[]>> link = new ReconnectingConnection<>(
                "test",
                () -> {
                    throw next.remove();
                },
                timer,
                connection -> {},
                () -> {});
        return link.connection()
                .handle((connection, error) -> error)
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }
}
