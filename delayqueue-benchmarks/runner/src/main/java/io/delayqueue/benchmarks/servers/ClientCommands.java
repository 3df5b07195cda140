package io.delayqueue.benchmarks.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Counts the commands that clients send, by {@code MONITOR}: unlike {@code INFO}, it tells them from commands of scripts. It
 * doubles the server's work, so it is for low rates.
 */
public final class ClientCommands implements AutoCloseable {

    private static final Pattern BY_CLIENT = Pattern.compile("^\\+[\\d.]+ \\[\\d+ (?!lua)\\S+] \"(?!info|INFO).*");

    private final Socket socket;
    private final AtomicLong count = new AtomicLong();

    /** Starts to count. */
    public ClientCommands(RedisServer server) {
        try {
            socket = new Socket(server.host(), server.port());
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
            lines.readLine();
            Thread reader = new Thread(() -> readAll(lines), "monitor");
            reader.setDaemon(true);
            reader.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readAll(BufferedReader lines) {
        try {
            lines.lines().filter(line -> BY_CLIENT.matcher(line).matches()).forEach(line -> count.incrementAndGet());
        } catch (UncheckedIOException closed) {
            // by close()
        }
    }

    /** Commands so far. */
    public long count() {
        return count.get();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
