package io.delayqueue.testsupport.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * A proxy between a client and a Redis server on this machine that causes faults on request. Faults add up until {@link
 * #forward()}.
 */
public final class FaultyProxy implements AutoCloseable {

    /** A direction of traffic. */
    public enum Direction {
        REQUESTS,
        REPLIES
    }

    private final ServerSocket serverSocket;
    private final int serverPort;
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final Map<Direction, DirectionFaults> faults = new EnumMap<>(Direction.class);
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final AtomicLong otherHits = new AtomicLong();

    /** @param serverPort the port of the Redis server */
    public FaultyProxy(int serverPort) {
        try {
            this.serverSocket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.serverPort = serverPort;
        for (Direction direction : Direction.values()) {
            faults.put(direction, new DirectionFaults());
        }
        ProxiedConnection.inBackground(this::accept);
    }

    /** The port that clients connect to. */
    public int port() {
        return serverSocket.getLocalPort();
    }

    /** The URI that clients connect to. */
    public String uri() {
        return "redis://127.0.0.1:" + port();
    }

    /** Number of open connections. */
    public int connections() {
        return connections.size();
    }

    /**
     * Number of times that a fault met traffic. Counted are bytes that were dropped, held, delayed or cut off, connections that
     * were reset, and requests that were not just passed on. A fault that met nothing shows nothing.
     */
    public long hits() {
        return otherHits.get()
                + faults.values().stream().mapToLong(DirectionFaults::hits).sum();
    }

    /** Number of times that bytes of this direction were dropped, held, delayed or cut off. */
    public long hits(Direction direction) {
        return faults(direction).hits();
    }

    /** Ends all faults. Dropped bytes stay dropped, and connections that lost bytes stay dead. */
    public void forward() {
        rules.clear();
        faults.values().forEach(DirectionFaults::clear);
    }

    /**
     * Silently drops the traffic of all present connections, and of new ones until {@link #forward}, like a firewall that
     * forgot them.
     */
    public void blackhole(Direction... directions) {
        for (Direction direction : directions.length == 0 ? Direction.values() : directions) {
            faults(direction).blackhole();
            connections.forEach(connection -> connection.drop(direction));
        }
    }

    /** Holds all traffic until {@link #forward}, and delivers it then, like a cable that was unplugged for a while. */
    public void hold(Direction... directions) {
        for (Direction direction : directions.length == 0 ? Direction.values() : directions) {
            faults(direction).hold();
        }
    }

    /** Delays all traffic of a direction. */
    public void delay(Direction direction, Duration delay) {
        delay(direction, delay, Duration.ZERO);
    }

    /** Delays all traffic of a direction, each piece by a random time of up to the jitter more. */
    public void delay(Direction direction, Duration delay, Duration jitter) {
        faults(direction).delay(delay, jitter);
    }

    /** Resets all connections (TCP RST). */
    public void reset() {
        otherHits.addAndGet(connections.size());
        connections.forEach(ProxiedConnection::reset);
    }

    /** Lets this number of bytes pass, then resets the connection with the next byte. */
    public void cutAfter(Direction direction, long bytes) {
        faults(direction).cutAfter(bytes);
    }

    /** Forwards these requests, and resets the connection instead of passing the reply. */
    public Rule swallowReplies(int times, Predicate<Request> matching) {
        return add(new Rule(matching, times, ProxiedConnection::forwardAndSwallow));
    }

    /** Answers these requests with an error reply, such as {@code LOADING Redis is loading}, instead of the server. */
    public Rule answer(Predicate<Request> matching, String error) {
        Request substitute = Request.of("EVAL", "return redis.error_reply(ARGV[1])", "0", error);
        return add(new Rule(matching, Integer.MAX_VALUE, (connection, request) -> connection.forward(substitute)));
    }

    /** Answers these requests with any bytes instead of the server's reply, in the order of replies. */
    public Rule answerRaw(Predicate<Request> matching, byte[] bytes) {
        return add(
                new Rule(matching, Integer.MAX_VALUE, (connection, request) -> connection.answerInOrder(bytes, false)));
    }

    /** As {@link #answerRaw}; then the connection is reset. */
    public Rule answerRawAndReset(Predicate<Request> matching, byte[] bytes) {
        return add(
                new Rule(matching, Integer.MAX_VALUE, (connection, request) -> connection.answerInOrder(bytes, true)));
    }

    /** Counts these requests, and forwards them. */
    public Rule count(Predicate<Request> matching) {
        return add(new Rule(matching, Integer.MAX_VALUE, ProxiedConnection::forward));
    }

    private Rule add(Rule rule) {
        rules.add(rule);
        return rule;
    }

    DirectionFaults faults(Direction direction) {
        return faults.get(direction);
    }

    /** The action for a request, by the first rule that matches and is not used up. */
    Rule.Action actionFor(Request request) {
        for (Rule rule : rules) {
            if (rule.matches(request)) {
                otherHits.incrementAndGet();
                return rule.action();
            }
        }
        return ProxiedConnection::forward;
    }

    private void accept() {
        while (!serverSocket.isClosed()) {
            try {
                Socket client = serverSocket.accept();
                ProxiedConnection.inBackground(() -> connect(client));
            } catch (IOException e) {
                if (!serverSocket.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void connect(Socket client) {
        ProxiedConnection connection;
        try {
            connection = new ProxiedConnection(this, client, new Socket(InetAddress.getLoopbackAddress(), serverPort));
        } catch (IOException serverIsDown) {
            ProxiedConnection.reset(client);
            return;
        }
        connections.add(connection);
        for (Direction direction : Direction.values()) {
            if (faults(direction).isBlackhole()) {
                connection.drop(direction);
            }
        }
        connection.start(() -> connections.remove(connection));
    }

    @Override
    public void close() throws IOException {
        serverSocket.close();
        forward();
        reset();
    }
}
