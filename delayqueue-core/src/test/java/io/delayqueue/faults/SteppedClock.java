package io.delayqueue.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A server whose wall clock a test can step. Needs Linux and a C compiler; without them the test is skipped with a message. */
final class SteppedClock implements AutoCloseable {

    private final Path step;
    private final Process process;
    private final RedisClient client;
    private final RedisCommands<String, String> redis;

    private SteppedClock(Path step, Process process, RedisClient client) {
        this.step = step;
        this.process = process;
        this.client = client;
        this.redis = await().ignoreExceptions().until(() -> client.connect().sync(), commands -> true);
    }

    static SteppedClock start(Path directory) throws IOException, InterruptedException {
        Path library = ClockLibrary.compile(directory);
        Path step = Files.writeString(directory.resolve("step"), "0");
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Process process;
        // the executable may be a temporary file that is deleted when its server closes
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            String running = ProcessHandle.of(redis.pid())
                    .flatMap(it -> it.info().command())
                    .orElse("");
            // a chosen executable may be a script that sets the library path
            String executable = System.getenv().getOrDefault("DELAYQUEUE_TEST_SERVER", running);
            assumeTrue(!executable.isEmpty(), "no server that a library can be loaded into");
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
            builder.environment().putAll(ClockLibrary.environment(library, step));
            process = builder.start();
            SteppedClock clock = new SteppedClock(step, process, RedisClient.create("redis://127.0.0.1:" + port));
            clock.stepBy(0);
            return clock;
        }
    }

    /** Sets the server's clock this far ahead of the machine's, and waits until the server sees it. */
    void stepBy(long seconds) throws IOException {
        Path next = Files.writeString(step.resolveSibling("next"), String.valueOf(seconds));
        Files.move(next, step, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        await().until(() ->
                Math.abs(Long.parseLong(redis.time().get(0)) - System.currentTimeMillis() / 1000 - seconds) < 60);
    }

    RedisClient client() {
        return client;
    }

    @Override
    public void close() throws InterruptedException {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        process.destroyForcibly().waitFor();
    }
}
