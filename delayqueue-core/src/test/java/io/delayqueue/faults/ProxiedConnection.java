package io.delayqueue.faults;

import io.delayqueue.faults.FaultyProxy.Direction;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.locks.ReentrantLock;

/** One connection through a {@link FaultyProxy}. */
final class ProxiedConnection {

    private final FaultyProxy proxy;
    private final Socket client;
    private final Socket server;
    private final ReentrantLock replying = new ReentrantLock();
    private volatile boolean droppingRequests;
    private volatile boolean droppingReplies;
    private volatile boolean swallowing;

    ProxiedConnection(FaultyProxy proxy, Socket client, Socket server) throws SocketException {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
    }

    static void inBackground(Runnable work) {
        Thread thread = new Thread(work, "faulty-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    /** @param onEnd once neither direction is open */
    void start(Runnable onEnd) {
        inBackground(() -> {
            run(this::pumpRequests);
            onEnd.run();
        });
        inBackground(() -> run(this::pumpReplies));
    }

    void drop(Direction direction) {
        if (direction == Direction.REQUESTS) {
            droppingRequests = true;
        } else {
            droppingReplies = true;
        }
    }

    void forward(Request request) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        request.write(bytes);
        pass(Direction.REQUESTS, server.getOutputStream(), bytes.toByteArray(), bytes.size());
    }

    void forwardAndSwallow(Request request) throws IOException {
        swallowing = true;
        forward(request);
    }

    void reply(byte[] bytes) throws IOException {
        replying.lock();
        try {
            pass(Direction.REPLIES, client.getOutputStream(), bytes, bytes.length);
        } finally {
            replying.unlock();
        }
    }

    void reset() {
        reset(client);
        reset(server);
    }

    static void reset(Socket socket) {
        try (socket) {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // it is closed, which is what was wanted
        }
    }

    private void pumpRequests() throws IOException, InterruptedException {
        InputStream in = new BufferedInputStream(client.getInputStream());
        for (Request request = Request.read(in); request != null; request = Request.read(in)) {
            proxy.lane(Direction.REQUESTS).awaitPassage(System.nanoTime());
            if (!droppingRequests) {
                proxy.actionFor(request).apply(this, request);
            }
        }
    }

    private void pumpReplies() throws IOException, InterruptedException {
        InputStream in = server.getInputStream();
        byte[] buffer = new byte[8192];
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            proxy.lane(Direction.REPLIES).awaitPassage(System.nanoTime());
            if (swallowing) {
                reset();
            } else if (!droppingReplies) {
                replying.lock();
                try {
                    pass(Direction.REPLIES, client.getOutputStream(), buffer, length);
                } finally {
                    replying.unlock();
                }
            }
        }
    }

    private void pass(Direction direction, OutputStream out, byte[] bytes, int length) throws IOException {
        int passing = proxy.lane(direction).passing(length);
        out.write(bytes, 0, passing);
        if (passing < length) {
            reset();
        }
    }

    private void run(Pump pump) {
        try (client;
                server) {
            pump.run();
        } catch (IOException e) {
            // one side is gone: so is the other
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Pump {
        void run() throws IOException, InterruptedException;
    }
}
