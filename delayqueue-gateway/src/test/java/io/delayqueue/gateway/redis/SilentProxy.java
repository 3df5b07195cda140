package io.delayqueue.gateway.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** A server between a client and Redis. The connections that are open at some moment stay open, and pass nothing on. */
final class SilentProxy implements AutoCloseable {

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int target;
    private final List<Passage> passages = new CopyOnWriteArrayList<>();

    SilentProxy(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Silences the connections that are open now. Returns how many those are. */
    int silence() {
        passages.forEach(passage -> passage.silent.set(true));
        return passages.size();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                passages.add(new Passage(client, new Socket(InetAddress.getLoopbackAddress(), target)));
            } catch (IOException closed) {
                return;
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Passage passage : passages) {
            passage.client.close();
            passage.redis.close();
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "silent-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static final class Passage {

        private final Socket client;
        private final Socket redis;
        private final AtomicBoolean silent = new AtomicBoolean();

        Passage(Socket client, Socket redis) {
            this.client = client;
            this.redis = redis;
            start(() -> pass(client, redis));
            start(() -> pass(redis, client));
        }

        private void pass(Socket from, Socket to) {
            byte[] bytes = new byte[8192];
            try (InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream()) {
                for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                    if (!silent.get()) {
                        out.write(bytes, 0, read);
                        out.flush();
                    }
                }
            } catch (IOException closed) {
                // so is the other direction
            }
        }
    }
}
