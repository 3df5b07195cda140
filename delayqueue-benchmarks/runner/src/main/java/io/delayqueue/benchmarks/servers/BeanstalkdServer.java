package io.delayqueue.benchmarks.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

/** A beanstalkd without a log on disk. It has no command to flush, so flushing restarts it. */
final class BeanstalkdServer implements Server {

    private final Program executable;
    private final int port;
    private Process process;

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
        Process started = executable.run("-l", "127.0.0.1", "-p", Integer.toString(port), "-z", "1048576");
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
        close();
        process = run();
    }

    @Override
    public Usage usage() {
        return ProcessUsage.ofTree(process.toHandle());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
