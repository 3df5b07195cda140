package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutboxOptions;
import io.delayqueue.jdbc.testsupport.FrozenProcess;
import io.delayqueue.jdbc.testsupport.MovedClock;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A Redis with a clock of its own, and a client with the outbox's defaults. */
final class MovedRedis implements AutoCloseable {

    final DelayQueueClient client;
    final WatchedOutbox outbox;
    private final MovedClock clock;
    private final Process process;
    private final RedisClient lettuce;

    private MovedRedis(MovedClock clock, Process process, int port, Duration commandTimeout) {
        this.clock = clock;
        this.process = process;
        this.lettuce = RedisClient.create("redis://127.0.0.1:" + port);
        await().ignoreExceptions().until(() -> lettuce.connect().sync().ping(), "PONG"::equals);
        this.client = DelayQueueClient.create(
                lettuce,
                DelayQueueOptions.builder().commandTimeout(commandTimeout).build());
        this.outbox = new WatchedOutbox(client.outbox(OutboxOptions.DEFAULTS));
        await().ignoreExceptions().until(() -> now().isAfter(Instant.EPOCH));
        outbox.beginEpoch();
    }

    /** Starts it with files in a directory. */
    static MovedRedis start(Path directory, Duration ahead, Duration commandTimeout)
            throws IOException, InterruptedException {
        MovedClock clock = MovedClock.in(directory, ahead);
        // the executable may be a temporary file that is deleted when its server closes
        try (EmbeddedRedis running = EmbeddedRedis.start()) {
            // a chosen executable may be a script that sets the library path
            String executable = System.getenv()
                    .getOrDefault(
                            EmbeddedRedis.SERVER_VARIABLE,
                            ProcessHandle.of(running.pid())
                                    .flatMap(it -> it.info().command())
                                    .orElse(""));
            assumeTrue(!executable.isEmpty(), "no server that a library can be loaded into");
            int port = freePort();
            ProcessBuilder builder = new ProcessBuilder(
                            executable,
                            "--port",
                            String.valueOf(port),
                            "--bind",
                            "127.0.0.1",
                            "--save",
                            "",
                            "--dir",
                            directory.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("server.log").toFile());
            builder.environment().putAll(clock.environment());
            return new MovedRedis(clock, builder.start(), port, commandTimeout);
        }
    }

    /** Below the ephemeral ports of the system, of which another program may get one before the server has it. */
    private static int freePort() throws IOException {
        for (int attempt = 1; ; attempt++) {
            try (ServerSocket socket =
                    new ServerSocket(ThreadLocalRandom.current().nextInt(12_000, 20_000))) {
                return socket.getLocalPort();
            } catch (BindException e) {
                if (attempt == 20) {
                    throw e;
                }
            }
        }
    }

    /** Its time. */
    Instant now() throws Exception {
        return Instant.EPOCH.plus(outbox.timeMicros().get(1, TimeUnit.MINUTES), ChronoUnit.MICROS);
    }

    /** It answers no call. */
    void pause() throws IOException, InterruptedException {
        FrozenProcess.freeze(process);
    }

    /** It goes on, so much later by its clock. */
    void resumeAfter(Duration ahead) throws IOException, InterruptedException {
        clock.move(ahead);
        FrozenProcess.thaw(process);
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
        client.close();
        lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
