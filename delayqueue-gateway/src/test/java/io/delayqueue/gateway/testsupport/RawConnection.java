package io.delayqueue.gateway.testsupport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection whose bytes a test writes itself. */
public final class RawConnection implements AutoCloseable {

    private static final Pattern CONTENT_LENGTH =
            Pattern.compile("\r\nContent-Length: *(\\d+)\r\n", Pattern.CASE_INSENSITIVE);

    private final Socket socket;

    /** Connects to a gateway. */
    public RawConnection(int port) throws IOException {
        socket = new Socket("127.0.0.1", port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60_000);
    }

    /** Sends text as it is. */
    public void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Sends bytes as they are. */
    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** Sends no more. */
    public void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** Sends a whole POST below the base path, with a body in JSON. */
    public void post(String path, String body) throws IOException {
        send("POST /delayqueue/v1" + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + body.length() + "\r\n\r\n" + body);
    }

    /** Status line and headers of the next answer; as far as they came if the connection ends. */
    public String readHead() throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int next = socket.getInputStream().read();
        while (next >= 0) {
            head.write(next);
            if (head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                break;
            }
            next = socket.getInputStream().read();
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    /** The body behind a head that was read: as many bytes as that says, or as far as they came if the connection ends. */
    public byte[] readBody(String head) throws IOException {
        Matcher length = CONTENT_LENGTH.matcher(head);
        return length.find() ? socket.getInputStream().readNBytes(Integer.parseInt(length.group(1))) : new byte[0];
    }

    /** {@link #readHead}, or nothing if the connection ends or nothing comes within two seconds. */
    public String readHeadOrNothing() throws IOException {
        socket.setSoTimeout(2_000);
        try {
            return readHead();
        } catch (SocketException | SocketTimeoutException e) {
            return "";
        } finally {
            if (!socket.isClosed()) {
                socket.setSoTimeout(60_000);
            }
        }
    }

    /** Ends the connection by a reset, as if the machine had forgotten it. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Ends the connection as a killed process' system does. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
