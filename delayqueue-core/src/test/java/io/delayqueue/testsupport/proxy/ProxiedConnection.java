package io.delayqueue.testsupport.proxy;

import io.delayqueue.testsupport.proxy.FaultyProxy.Direction;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** One connection through a {@link FaultyProxy}. */
final class ProxiedConnection {

    private final FaultyProxy proxy;
    private final Socket client;
    private final Socket server;
    private final AtomicInteger substitutes = new AtomicInteger();
    private final Queue<Substitute> pendingSubstitutes = new ConcurrentLinkedQueue<>();
    private volatile boolean droppingRequests;
    private volatile boolean droppingReplies;
    private volatile boolean swallowing;
    private boolean ended;

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

    /** Makes the server echo a mark, which the bytes replace. After the last one the connection is reset. */
    void answerInOrder(byte[] bytes, boolean isLast) throws IOException {
        Substitute substitute = new Substitute("@@substitute-" + substitutes.incrementAndGet() + "@@", bytes, isLast);
        pendingSubstitutes.add(substitute);
        forward(Request.of("ECHO", substitute.mark));
    }

    void reset() {
        reset(client);
        reset(server);
    }

    static void reset(Socket socket) {
        try (socket) {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // it is closed already
        }
    }

    private void pumpRequests() throws IOException, InterruptedException {
        InputStream in = new BufferedInputStream(client.getInputStream());
        for (Request request = Request.read(in); request != null; request = Request.read(in)) {
            proxy.faults(Direction.REQUESTS).awaitPassage(System.nanoTime());
            if (droppingRequests) {
                proxy.faults(Direction.REQUESTS).hit();
            } else {
                proxy.actionFor(request).apply(this, request);
            }
        }
    }

    private void pumpReplies() throws IOException, InterruptedException {
        InputStream in = server.getInputStream();
        byte[] buffer = new byte[8192];
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            proxy.faults(Direction.REPLIES).awaitPassage(System.nanoTime());
            if (swallowing) {
                reset();
            } else if (droppingReplies) {
                proxy.faults(Direction.REPLIES).hit();
            } else {
                byte[] replies = substituted(in, Arrays.copyOf(buffer, length));
                pass(Direction.REPLIES, client.getOutputStream(), replies, replies.length);
                if (ended) {
                    reset();
                }
            }
        }
    }

    /** Replaces marks in the replies; reads on where a mark may be cut. */
    private byte[] substituted(InputStream in, byte[] replies) throws IOException {
        String text = new String(replies, StandardCharsets.ISO_8859_1);
        while (!pendingSubstitutes.isEmpty()) {
            String echo = pendingSubstitutes.element().echo();
            int at = text.indexOf(echo);
            if (at >= 0) {
                Substitute due = pendingSubstitutes.remove();
                ended = due.isLast;
                String bytes = new String(due.bytes, StandardCharsets.ISO_8859_1);
                text = text.substring(0, at) + bytes + (ended ? "" : text.substring(at + echo.length()));
                if (ended) {
                    break;
                }
            } else if (endsWithinEcho(text, echo)) {
                int next = in.read();
                if (next < 0) {
                    break;
                }
                text += (char) next;
            } else {
                break;
            }
        }
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static boolean endsWithinEcho(String text, String echo) {
        for (int length = Math.min(text.length(), echo.length() - 1); length > 0; length--) {
            if (text.endsWith(echo.substring(0, length))) {
                return true;
            }
        }
        return false;
    }

    private record Substitute(String mark, byte[] bytes, boolean isLast) {

        String echo() {
            return "$" + mark.length() + "\r\n" + mark + "\r\n";
        }
    }

    private void pass(Direction direction, OutputStream out, byte[] bytes, int length) throws IOException {
        int passing = proxy.faults(direction).passing(length);
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
            // one side is closed: the other one follows
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Pump {
        void run() throws IOException, InterruptedException;
    }
}
