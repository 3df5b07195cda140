package io.delayqueue.internal.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stands before a server; when told so it swallows what its connections carry, for ever, while they stay open. */
final class SilencingProxy implements AutoCloseable {

    private final ServerSocket door;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean silent;
    /** Shared by the connections there are now; new ones get another when there is to be speech again. */
    private volatile AtomicBoolean swallow = new AtomicBoolean();

    SilencingProxy(int target) throws IOException {
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.target = target;
        start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    /** All connections of now and until {@link #speak} are dead, and nobody is told. */
    void silence() {
        silent = true;
        swallow.set(true);
    }

    /** Connections made from now on work; the dead stay dead. */
    void speak() {
        swallow = new AtomicBoolean();
        silent = false;
    }

    int connections() {
        return (int) sockets.stream().filter(socket -> !socket.isClosed()).count() / 2;
    }

    @Override
    public void close() throws IOException {
        door.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(server);
                AtomicBoolean dead = silent ? new AtomicBoolean(true) : swallow;
                start(() -> pump(client, server, dead));
                start(() -> pump(server, client, dead));
            } catch (IOException e) {
                if (!door.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static void pump(Socket from, Socket to, AtomicBoolean dead) {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                if (!dead.get()) {
                    out.write(buffer, 0, length);
                }
            }
        } catch (IOException e) {
            // closed by one side: so is the other
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "silencing-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
