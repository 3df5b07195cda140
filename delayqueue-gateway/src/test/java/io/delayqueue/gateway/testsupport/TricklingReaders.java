package io.delayqueue.gateway.testsupport;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Clients that read their answers a byte at a time. */
public final class TricklingReaders implements AutoCloseable {

    private static final int SMALL_BUFFER = 4_096;
    private static final int LONGEST_READ_MILLIS = 30_000;

    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Set<Socket> answered = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    /** None, yet. */
    public TricklingReaders() {
        timer.scheduleWithFixedDelay(this::readAByteEach, 100, 100, TimeUnit.MILLISECONDS);
    }

    /** Adds a client that makes this request. */
    public void add(int port, String request) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(SMALL_BUFFER);
        socket.setSoTimeout(LONGEST_READ_MILLIS);
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        sockets.add(socket);
    }

    private void readAByteEach() {
        for (Socket socket : sockets) {
            try {
                InputStream in = socket.getInputStream();
                if (in.available() > 0) {
                    if (in.read() >= 0) {
                        answered.add(socket);
                    } else {
                        sockets.remove(socket);
                    }
                }
            } catch (IOException e) {
                sockets.remove(socket);
            }
        }
    }

    /** Number of clients whose answer has begun. */
    public int answered() {
        return answered.size();
    }

    /** Has all of them read on at once, and returns how many bytes each gets until its connection ends. */
    public List<Long> readToTheEnd() throws IOException, InterruptedException {
        timer.shutdown();
        timer.awaitTermination(1, TimeUnit.MINUTES);
        List<Long> bytes = new ArrayList<>();
        for (Socket socket : sockets) {
            bytes.add(readToTheEnd(socket.getInputStream()));
        }
        return bytes;
    }

    private static long readToTheEnd(InputStream in) throws IOException {
        byte[] buffer = new byte[SMALL_BUFFER];
        long bytes = 0;
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                bytes += read;
            }
        } catch (SocketException e) {
            // a reset is an end, too
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        timer.shutdownNow();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
