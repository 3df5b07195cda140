package io.delayqueue.benchmarks.gateway;

import io.delayqueue.benchmarks.peers.elasticmq.ElasticMqServer;
import io.delayqueue.test.EmbeddedRedis;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server in a JVM of its own.
 *
 * @param redis its Redis, which serves no other server; null if it needs none
 */
record MeasuredServer(
        String name, URI uri, Process process, @Nullable EmbeddedRedis redis) implements AutoCloseable {

    private static final double TICK_MICROS = 10_000;
    private static final String CLASS_PATH = Objects.requireNonNull(System.getProperty("java.class.path"));

    static MeasuredServer elasticMq() throws IOException, InterruptedException {
        int port = freePort();
        return started("ElasticMQ", port, start("elasticmq", CLASS_PATH, ElasticMqServer.class, port), null);
    }

    /**
     * The gateway.
     *
     * @param module this module as it is built in another work tree, whose gateway it is; null for this one
     */
    static MeasuredServer gateway(String name, @Nullable Path module) throws IOException, InterruptedException {
        String classPath = module == null
                ? CLASS_PATH
                : module.resolve("target/classes") + ":" + Files.readString(module.resolve("target/class-path.txt"));
        EmbeddedRedis redis = EmbeddedRedis.start();
        int port = freePort();
        return started(name, port, start(name, classPath, GatewayServer.class, port, redis.uri()), redis);
    }

    private static MeasuredServer started(String name, int port, Process process, @Nullable EmbeddedRedis redis)
            throws InterruptedException {
        MeasuredServer server = new MeasuredServer(name, URI.create("http://127.0.0.1:" + port), process, redis);
        await(port);
        return server;
    }

    /** Options of the JVM are those of the property {@code options.<name>}, separated by blanks. */
    private static Process start(String name, String classPath, Class<?> main, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx1g");
        // one that ends would take its time along
        command.add("-XX:-UseDynamicNumberOfCompilerThreads");
        String options = System.getProperty("options." + name, "");
        command.addAll(options.isEmpty() ? List.of() : List.of(options.split(" ")));
        command.addAll(List.of("-cp", classPath, main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Files.createTempFile(name, ".log").toFile())
                .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void await(int port) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (System.nanoTime() < end) {
            try (Socket socket = new Socket("127.0.0.1", port)) {
                return;
            } catch (IOException e) {
                Thread.sleep(100);
            }
        }
        throw new IllegalStateException("no server at port " + port);
    }

    /** Processor time so far. */
    Cpu cpu() {
        return cpu(process.toHandle());
    }

    /** That of this process, with the clients in it, and of the server's Redis. */
    Cpu cpuHere() {
        return cpu(ProcessHandle.current());
    }

    private Cpu cpu(ProcessHandle server) {
        return new Cpu(
                micros(server) - compilersMicros(server.pid()),
                redis == null ? 0 : micros(ProcessHandle.of(redis.pid()).orElseThrow()));
    }

    /** Linux counts it in steps of 10 ms. */
    private static double micros(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e3;
    }

    /** The time of a JVM's compilers, which a busy machine spreads over all rounds; 0 where the system does not tell it. */
    private static double compilersMicros(long pid) {
        File[] threads = new File("/proc/" + pid + "/task").listFiles();
        double ticks = 0;
        for (File thread : threads == null ? new File[0] : threads) {
            try {
                // number, name in brackets, state and so on: user and system time are the fields 14 and 15
                String stat = Files.readString(thread.toPath().resolve("stat"));
                int name = stat.lastIndexOf(')');
                if (stat.substring(0, name).contains("CompilerThre")) {
                    String[] fields = stat.substring(name + 2).split(" ");
                    ticks += Double.parseDouble(fields[11]) + Double.parseDouble(fields[12]);
                }
            } catch (IOException e) {
                // it ended meanwhile
            }
        }
        return ticks * TICK_MICROS;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (redis != null) {
            redis.close();
        }
    }
}
