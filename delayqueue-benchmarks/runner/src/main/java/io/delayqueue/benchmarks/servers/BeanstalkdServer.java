package io.delayqueue.benchmarks.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A beanstalkd, without a log on disk unless it shall {@link #keep}. It has no command to flush, so flushing restarts it. */
final class BeanstalkdServer implements Server {

    private final Program executable;
    private final int port;
    private Process process;
    private Durability durability = Durability.USUAL;
    private @Nullable Path log;

    private BeanstalkdServer(Program executable, int port) {
        this.executable = executable;
        this.port = port;
        this.process = run();
    }

    static BeanstalkdServer start(Program executable) {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = free.getLocalPort();
            free.close();
            return new BeanstalkdServer(executable, port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process run() {
        List<String> arguments =
                new ArrayList<>(List.of("-l", "127.0.0.1", "-p", Integer.toString(port), "-z", "1048576"));
        if (durability != Durability.USUAL) {
            // at most this number of ms between two syncs
            String millis = durability == Durability.STRICT ? "0" : "1000";
            arguments.addAll(List.of("-b", log().toString(), "-f", millis));
        }
        Process started = executable.run(arguments.toArray(String[]::new));
        for (int attempt = 0; started.isAlive() && attempt < 1000; attempt++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return started;
            } catch (IOException notYet) {
                Pause.millis(5);
            }
        }
        started.destroyForcibly();
        throw new IllegalStateException("beanstalkd doesn't start on port " + port);
    }

    /** An empty folder for its log. */
    private Path log() {
        try {
            deleteLog();
            log = Files.createTempDirectory("beanstalkd");
            return log;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void deleteLog() throws IOException {
        if (log != null) {
            try (Stream<Path> files = Files.list(log)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(log);
            log = null;
        }
    }

    @Override
    public void keep(Durability wanted) {
        durability = wanted;
        flush();
    }

    @Override
    public String address() {
        return "127.0.0.1:" + port;
    }

    @Override
    public String description() {
        return executable.firstLine("-v") + ", no log on disk, one server process";
    }

    @Override
    public void flush() {
        end();
        process = run();
    }

    @Override
    public Usage usage() {
        return ProcessUsage.ofTree(process.toHandle());
    }

    @Override
    public void close() {
        end();
        try {
            deleteLog();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void end() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
