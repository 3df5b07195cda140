package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.RedisUnavailableException;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.Eventually;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replies that came while a process stood still get a moment to be read, before they are taken for missing. */
class LateTimerTests {

    private static final Duration TIMEOUT = Duration.ofMillis(500);

    private final EmbeddedRedis server = EmbeddedRedis.start();
    private final RedisClient client = RedisClient.create(server.uri());
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final Standalone topology = new Standalone(client);
    private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> connection =
            new ReconnectingConnection<>("test", topology::connect, timer);
    private final CommandSender sender = new CommandSender(topology, connection, timer, TIMEOUT, () -> {});

    @AfterEach
    void close() {
        connection.close().orTimeout(20, TimeUnit.SECONDS).join();
        timer.shutdownNow();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        server.close();
    }

    @Test
    void aCommandGetsAMomentMoreIfTheTimerWasLate() {
        Eventually.asserted(
                () -> assertThat(time().orTimeout(20, TimeUnit.SECONDS)).succeedsWithin(Duration.ofSeconds(20)));
        server.pause();
        long sent = System.nanoTime();
        CompletableFuture<Long> failedAt = time().handle((answer, error) -> {
            assertThat(error).isInstanceOf(RedisUnavailableException.class);
            return System.nanoTime();
        });
        CountDownLatch goesOn = new CountDownLatch(1);
        timer.execute(() -> await(goesOn));
        Eventually.asserted(() -> assertThat(System.nanoTime() - sent)
                .isGreaterThan(TIMEOUT.plusMillis(300).toNanos()));

        long wentOn = System.nanoTime();
        goesOn.countDown();

        assertThat(Duration.ofNanos(failedAt.orTimeout(20, TimeUnit.SECONDS).join() - wentOn))
                .isGreaterThanOrEqualTo(Duration.ofMillis(200));
        server.resume();
    }

    private CompletableFuture<?> time() {
        return sender.send("time", null, new byte[] {1}, commands -> commands.time(), null, reply -> reply);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
