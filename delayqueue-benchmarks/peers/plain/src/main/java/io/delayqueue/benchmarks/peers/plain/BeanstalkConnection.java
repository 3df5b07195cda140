package io.delayqueue.benchmarks.peers.plain;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A few commands of beanstalkd's protocol. Used by one thread at a time. */
final class BeanstalkConnection implements AutoCloseable {

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private String used = "default";

    BeanstalkConnection(String server) throws IOException {
        int colon = server.lastIndexOf(':');
        socket = new Socket(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 64 * 1024));
        out = new BufferedOutputStream(socket.getOutputStream(), 64 * 1024);
    }

    void use(String tube) throws IOException {
        if (!tube.equals(used)) {
            send("use " + tube);
            readAnswer("USING ");
            used = tube;
        }
    }

    void watchOnly(String tube) throws IOException {
        send("watch " + tube);
        readAnswer("WATCHING ");
        send("ignore default");
        readAnswer("WATCHING ");
    }

    /** Sends a job without reading its answer, {@code INSERTED}, so that jobs can be pipelined. */
    void sendPut(long delaySeconds, long timeToRun, byte[] body) throws IOException {
        send("put 1024 " + delaySeconds + " " + timeToRun + " " + body.length);
        out.write(body);
        send("");
    }

    Job reserve() throws IOException {
        send("reserve");
        String answer = readAnswer("RESERVED ");
        int blank = answer.indexOf(' ');
        byte[] body = new byte[Integer.parseInt(answer, blank + 1, answer.length(), 10)];
        in.readFully(body);
        in.skipNBytes(2);
        return new Job(answer.substring(0, blank), body);
    }

    void delete(String id) throws IOException {
        send("delete " + id);
        readAnswer("DELETED");
    }

    /** Reads an answer with this beginning, and returns the rest of it. */
    String readAnswer(String beginning) throws IOException {
        out.flush();
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException();
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        if (!line.toString().startsWith(beginning)) {
            throw new IOException("beanstalkd answered " + line);
        }
        return line.substring(beginning.length());
    }

    private void send(String line) throws IOException {
        out.write(line.getBytes(StandardCharsets.US_ASCII));
        out.write('\r');
        out.write('\n');
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    record Job(String id, byte[] body) {}
}
