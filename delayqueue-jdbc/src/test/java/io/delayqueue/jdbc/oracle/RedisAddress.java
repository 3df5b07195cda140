package io.delayqueue.jdbc.oracle;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The address at which instances find Redis. Passes on what comes, to another server after a failover, and disturbs that if it shall. It
 * loses replies, or cuts them: the server has done what it was asked for, and nobody hears of it. And it holds up calls of the
 * outbox: the server gets them when their callers have given them up long ago.
 */
final class RedisAddress implements AutoCloseable {

    /** Only calls of the outbox name a key that ends so. */
    private static final String OUTBOX_CALL = ":applied";

    private static final long UNTIL_READ_MILLIS = 200;

    private final ServerSocket socket;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong replies = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong cut = new AtomicLong();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong heldUp = new AtomicLong();
    private final AtomicLong late = new AtomicLong();
    private volatile int port;
    private volatile long loseEach;
    private volatile long cutEach;
    private volatile long holdUpEach;
    private volatile long holdUpMillis;

    /** @param port of the server on this machine */
    RedisAddress(int port) {
        this.port = port;
        try {
            this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        inBackground(this::accept);
    }

    String uri() {
        return "redis://127.0.0.1:" + socket.getLocalPort();
    }

    /** Leads to another server, and resets all connections. */
    void moveTo(int other) {
        port = other;
        open.forEach(RedisAddress::reset);
    }

    /** Resets a connection in the place of each so many replies; 0 ends that. */
    void loseReplies(long each) {
        loseEach = each;
    }

    /** Ends the connection before the last byte of each so many replies; 0 ends that. */
    void cutReplies(long each) {
        cutEach = each;
    }

    /** Replies that were cut so far. */
    long cut() {
        return cut.get();
    }

    /** Replies that were lost so far. */
    long lost() {
        return lost.get();
    }

    /** Holds up each so many calls of the outbox, with all that its connection sends behind it; 0 ends that. */
    void holdUpCalls(long each, Duration time) {
        holdUpMillis = time.toMillis();
        holdUpEach = each;
    }

    /** Calls that were held up so far. */
    long heldUp() {
        return heldUp.get();
    }

    /** Those of them that have reached the server. */
    long late() {
        return late.get();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                inBackground(() -> connect(client));
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void connect(Socket client) {
        Socket server = new Socket();
        open.add(client);
        open.add(server);
        try {
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        } catch (IOException serverIsDown) {
            end(client, server);
            return;
        }
        inBackground(() -> pass(client, server, false));
        pass(server, client, true);
    }

    private void pass(Socket from, Socket to, boolean areReplies) {
        byte[] bytes = new byte[16_384];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                if (areReplies && isHit(loseEach)) {
                    lost.incrementAndGet();
                    break;
                }
                if (areReplies && length > 1 && isHit(cutEach)) {
                    // of several replies, the last one lacks its end
                    out.write(bytes, 0, length - 1);
                    to.shutdownOutput();
                    Log.pause(UNTIL_READ_MILLIS);
                    cut.incrementAndGet();
                    break;
                }
                boolean isHeldUp = !areReplies && isToBeHeldUp(bytes, length);
                if (isHeldUp) {
                    Log.pause(holdUpMillis);
                }
                out.write(bytes, 0, length);
                if (isHeldUp) {
                    late.incrementAndGet();
                    // its caller is gone, and the end of the connection must not overtake it
                    Log.pause(UNTIL_READ_MILLIS);
                }
            }
        } catch (IOException e) {
            // the other side notices
        } finally {
            end(from, to);
        }
    }

    private boolean isHit(long each) {
        return each > 0 && replies.incrementAndGet() % each == 0;
    }

    private boolean isToBeHeldUp(byte[] bytes, int length) {
        long each = holdUpEach;
        boolean isHeldUp = each > 0
                && new String(bytes, 0, length, StandardCharsets.ISO_8859_1).contains(OUTBOX_CALL)
                && calls.incrementAndGet() % each == 0;
        if (isHeldUp) {
            heldUp.incrementAndGet();
        }
        return isHeldUp;
    }

    private void end(Socket... sockets) {
        for (Socket each : sockets) {
            reset(each);
            open.remove(each);
        }
    }

    private static void reset(Socket each) {
        try {
            each.setSoLinger(true, 0);
            each.close();
        } catch (IOException e) {
            // it is closed
        }
    }

    private static void inBackground(Runnable task) {
        Thread thread = new Thread(task, "redis-address");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        open.forEach(RedisAddress::reset);
    }
}
