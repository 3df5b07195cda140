package io.delayqueue.internal.redis;

import static io.delayqueue.ScheduleOutcome.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.ScheduleAnswer;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.NewThreads;
import io.delayqueue.testsupport.proxy.FaultyProxy;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers that die, hang, fall silent and come back. */
@Tag("slow")
class ConnectionsTests {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);
    /** The promise is about 2 s; the rest is for slow machines. */
    private static final Duration SOON = Duration.ofSeconds(25);

    /** Lettuce waits ever longer between its attempts to reconnect. Here it waits for an hour from the start. */
    private static final ClientResources SLOW_RECONNECT = ClientResources.builder()
            .reconnectDelay(Delay.constant(Duration.ofHours(1)))
            .build();

    private final EmbeddedRedis server =
            DocumentedUser.on(EmbeddedRedis.builder()).start();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        if (server.isRunning()) {
            server.resume();
            try (StatefulRedisConnection<String, String> admin = admin().connect()) {
                DocumentedUser.assertNothingDenied(admin.sync());
            }
        }
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        server.close();
    }

    @AfterAll
    static void shutDown() {
        SLOW_RECONNECT.shutdown(0, 1, TimeUnit.SECONDS);
    }

    @Test
    void nothingIsOpenedUntilTheFirstUse() {
        server.kill();
        RedisClient client = client(server.port());
        RedisMessageStore store = store(client);
        server.restart();

        await().until(() -> works(store));
    }

    @Test
    void redisThatIsDownAtFirstUseIsUnavailableAndWorksOnceItIsUp() {
        server.kill();
        RedisMessageStore store = store(client(server.port()));
        for (int i = 0; i < 3; i++) {
            long begun = System.nanoTime();
            assertThatThrownBy(() -> schedule(store))
                    .isInstanceOf(RedisUnavailableException.class)
                    .hasMessageContaining("t'");
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(COMMAND_TIMEOUT.plusSeconds(5));
        }
        server.restart();

        await().atMost(SOON).until(() -> works(store));
    }

    @Test
    void afterAnOutageCommandsAndWakeUpsWorkAgainWithinSeconds() throws InterruptedException {
        RedisMessageStore store = store(client(server.port()));
        BlockingQueue<Long> wakeUps = listen(store);
        await().until(() -> works(store));
        server.kill();
        failFor(Duration.ofMillis(1500), store);
        wakeUps.clear();
        server.restart();

        assertWorksAndWakes(store, wakeUps);
    }

    @Test
    void afterAnOutageWithoutCallsTheFirstCallWorks() {
        RedisMessageStore store = store(client(server.port()), Duration.ofSeconds(3));
        await().until(() -> works(store));
        server.kill();
        // no call meanwhile, which would open another connection
        await().during(Duration.ofSeconds(3)).until(() -> !server.isRunning());
        server.restart();

        assertThat(works(store)).isTrue();
    }

    @Test
    void aServerThatHangsIsUnavailableAndWorksOnceItRunsAgain() {
        RedisMessageStore store = store(client(server.port()));
        await().until(() -> works(store));
        server.pause();
        failFor(Duration.ofMillis(2500), store);
        server.resume();

        await().atMost(SOON).until(() -> works(store));
    }

    @Test
    void silentConnectionsAreReplaced() throws InterruptedException {
        FaultyProxy proxy = new FaultyProxy(server.port());
        open.add(proxy);
        RedisMessageStore store = store(client(proxy.port()));
        BlockingQueue<Long> wakeUps = listen(store);
        await().until(() -> works(store));
        proxy.blackhole();
        failFor(Duration.ofMillis(2500), store);
        wakeUps.clear();
        proxy.forward();

        assertWorksAndWakes(store, wakeUps);
    }

    @Test
    void theClientsOwnShorterTimeoutHidesNoSilence() {
        FaultyProxy proxy = new FaultyProxy(server.port());
        open.add(proxy);
        RedisClient client = client(proxy.port());
        client.setOptions(ClientOptions.builder()
                .timeoutOptions(TimeoutOptions.enabled(Duration.ofMillis(200)))
                .build());
        RedisMessageStore store = store(client);
        await().until(() -> works(store));
        proxy.blackhole();
        failFor(Duration.ofMillis(1500), store);
        proxy.forward();

        await().atMost(SOON).until(() -> works(store));
    }

    @Test
    void callsMadeBeforeTheConnectionIsOpenAreSentInTheirOrder() {
        RedisMessageStore store = store(client(server.port()), Duration.ofSeconds(20));
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            calls.add(store.setPaused(Partition.only("t"), i % 2 == 0));
        }
        calls.forEach(ConnectionsTests::join);

        assertThat(join(store.stats(List.of(Partition.only("t"))))
                        .get(Partition.only("t"))
                        .stats()
                        .paused())
                .isFalse();
    }

    @Test
    void aClientWithoutAutoReconnectIsReconnected() throws InterruptedException {
        RedisClient client = client(server.port());
        client.setOptions(ClientOptions.builder().autoReconnect(false).build());
        RedisMessageStore store = store(client);
        BlockingQueue<Long> wakeUps = listen(store);
        await().until(() -> works(store));
        server.restart();

        assertWorksAndWakes(store, wakeUps);
    }

    @Test
    void aDemotedPrimaryIsLeftForANewConnection() {
        RedisMessageStore store = store(client(server.port()));
        await().until(() -> works(store));
        try (StatefulRedisConnection<String, String> admin = admin().connect()) {
            long before = connectionsReceived(admin);
            admin.sync().replicaof("127.0.0.1", 1);
            await().atMost(SOON)
                    .untilAsserted(() -> assertThatThrownBy(() -> schedule(store))
                            .isInstanceOf(RedisUnavailableException.class)
                            .hasMessageContaining("READONLY"));
            await().atMost(SOON).until(() -> !works(store) && connectionsReceived(admin) > before);
            admin.sync().replicaofNoOne();
        }

        await().atMost(SOON).until(() -> works(store));
    }

    @Test
    void closingClosesTheStoresConnectionsAndLeavesTheClientOpen() {
        RedisClient client = client(server.port());
        try (StatefulRedisConnection<String, String> own = client.connect();
                StatefulRedisConnection<String, String> admin = admin().connect()) {
            RedisMessageStore store = store(client);
            listen(store);
            await().until(() -> works(store));
            await().until(() -> admin.sync().clientList().lines().count() == 4);
            store.close();
            store.close();

            await().until(() -> admin.sync().clientList().lines().count() == 2);
            assertThat(own.sync().ping()).isEqualTo("PONG");
            assertThatThrownBy(() -> schedule(store)).isInstanceOf(DelayQueueClosedException.class);
            assertThatThrownBy(() -> join(store.topics())).isInstanceOf(DelayQueueClosedException.class);
        }
    }

    @Test
    void closingEndsCallsUnderWay() {
        RedisMessageStore store = store(client(server.port()), Duration.ofMinutes(1));
        await().until(() -> works(store));
        server.pause();
        CompletableFuture<?> sent = store.topics();
        store.close();
        assertThatThrownBy(() -> join(sent)).isInstanceOf(DelayQueueException.class);

        RedisMessageStore unconnected = store(client(server.port()), Duration.ofMinutes(1));
        CompletableFuture<?> waiting = unconnected.topics();
        unconnected.close();
        assertThatThrownBy(() -> join(waiting)).isInstanceOf(DelayQueueClosedException.class);
        server.resume();
    }

    @Test
    void noThreadIsLeftBehind() {
        NewThreads threads = new NewThreads();
        RedisMessageStore store = store(client(server.port()));
        listen(store);
        await().until(() -> works(store));
        store.close();

        await().atMost(SOON).until(() -> threads.named("delayqueue-").isEmpty());
    }

    private static void assertWorksAndWakes(RedisMessageStore store, BlockingQueue<Long> wakeUps)
            throws InterruptedException {
        await().atMost(SOON).until(() -> works(store));
        assertThat(wakeUps.poll(SOON.toMillis(), TimeUnit.MILLISECONDS))
                .as("woken")
                .isZero();
    }

    private static void failFor(Duration outage, RedisMessageStore store) {
        long begun = System.nanoTime();
        BooleanSupplier over = () -> System.nanoTime() - begun > outage.toNanos();
        while (!over.getAsBoolean()) {
            assertThatThrownBy(() -> schedule(store)).isInstanceOf(RedisUnavailableException.class);
        }
    }

    private static BlockingQueue<Long> listen(RedisMessageStore store) {
        BlockingQueue<Long> wakeUps = new LinkedBlockingQueue<>();
        store.listen(Partition.only("t"), wakeUps::add);
        await().until(() -> !wakeUps.isEmpty());
        return wakeUps;
    }

    private static boolean works(RedisMessageStore store) {
        try {
            return schedule(store).outcomes().contains(SCHEDULED);
        } catch (RedisUnavailableException e) {
            return false;
        }
    }

    private static ScheduleAnswer schedule(RedisMessageStore store) {
        OutgoingMessage message = OutgoingMessage.to("t")
                .payload(new byte[1])
                .delay(Duration.ofDays(1))
                .build();
        return join(store.schedule(Partition.only("t"), List.of(message)));
    }

    private static <T extends @Nullable Object> T join(CompletableFuture<T> future) {
        try {
            return future.orTimeout(20, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private static long connectionsReceived(StatefulRedisConnection<String, String> admin) {
        return admin.sync()
                .info("stats")
                .lines()
                .filter(line -> line.startsWith("total_connections_received:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }

    private RedisClient admin() {
        return client(server.uri());
    }

    private RedisClient client(int port) {
        return client(DocumentedUser.uri("redis://127.0.0.1:" + port));
    }

    private RedisClient client(String uri) {
        RedisClient client = RedisClient.create(SLOW_RECONNECT, uri);
        open.add(() -> client.shutdown(0, 1, TimeUnit.SECONDS));
        return client;
    }

    private RedisMessageStore store(RedisClient client) {
        return store(client, COMMAND_TIMEOUT);
    }

    private RedisMessageStore store(RedisClient client, Duration commandTimeout) {
        RedisMessageStore store = RedisMessageStore.create(
                client,
                DelayQueueOptions.builder().commandTimeout(commandTimeout).build());
        open.add(store);
        return store;
    }
}
