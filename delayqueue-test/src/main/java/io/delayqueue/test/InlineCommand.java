package io.delayqueue.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Commands to the server over a plain socket, so that this module needs no client library. */
final class InlineCommand {

    private static final int READY_MILLIS = 2_000;

    /** Long, since a busy machine may stop a server for seconds. */
    private static final int TIMEOUT_MILLIS = 30_000;

    private InlineCommand() {}

    /**
     * Whether the server answers commands: it has loaded its data, and is the expected process rather than another one
     * on the same port.
     */
    static boolean isReady(int port, long pid) {
        try {
            // INFO is answered even while loading, PING is not.
            String reply = send(port, "PING\r\nINFO server", READY_MILLIS);
            return reply.startsWith("-NOAUTH")
                    || reply.startsWith("-NOPERM")
                    || (reply.startsWith("+PONG") && reply.lines().anyMatch(("process_id:" + pid)::equals));
        } catch (IOException e) {
            return false;
        }
    }

    /** Sends one command a line, and returns all replies as text. */
    static String send(int port, String command) throws IOException {
        return send(port, command, TIMEOUT_MILLIS);
    }

    private static String send(int port, String command, int timeoutMillis) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(EmbeddedRedis.HOST, port), timeoutMillis);
            socket.setSoTimeout(timeoutMillis);
            socket.getOutputStream().write((command + "\r\nQUIT\r\n").getBytes(StandardCharsets.UTF_8));
            // a Sentinel of Redis 8 knows no QUIT
            socket.shutdownOutput();
            StringBuilder reply = new StringBuilder();
            BufferedReader reader =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                reply.append(line).append('\n');
            }
            return reply.toString();
        }
    }
}
