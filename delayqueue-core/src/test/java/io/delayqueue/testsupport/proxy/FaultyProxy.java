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
import java.util.function.Predicate;

/**
 * Stands between a client and a Redis server on this machine, and does wrong when told so. Faults add up until {@link
 * #forward()}.
 */
public final class FaultyProxy implements AutoCloseable {

    /** Which way bytes go. */
    public enum Direction {
        REQUESTS,
        REPLIES
    }

    private final ServerSocket serverSocket;
    private final int target;
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final Map<Direction, DirectionFaults> lanes = new EnumMap<>(Direction.class);
    private final List<Rule> rules = new CopyOnWriteArrayList<>();

    /** @param target the server's port */
    public FaultyProxy(int target) {
        try {
            this.serverSocket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.target = target;
        for (Direction direction : Direction.values()) {
            lanes.put(direction, new DirectionFaults());
        }
        ProxiedConnection.inBackground(this::accept);
    }

    /** Where clients go. */
    public int port() {
        return serverSocket.getLocalPort();
    }

    /** Where clients go. */
    public String uri() {
        return "redis://127.0.0.1:" + port();
    }

    /** Connections that are open. */
    public int connections() {
        return connections.size();
    }

    /** Does nothing wrong any more. What was dropped stays dropped, and the connections it was dropped on stay dead. */
    public void forward() {
        rules.clear();
        lanes.values().forEach(DirectionFaults::clear);
    }

    /**
     * Drops what goes over all connections of now and until {@link #forward}, without a word to anybody: a firewall that
     * forgot them.
     */
    public void blackhole(Direction... directions) {
        for (Direction direction : directions.length == 0 ? Direction.values() : directions) {
            lane(direction).blackhole();
            connections.forEach(connection -> connection.drop(direction));
        }
    }

    /** Keeps what comes until {@link #forward}, and passes it on then: a cable that was out for a while. */
    public void hold(Direction... directions) {
        for (Direction direction : directions.length == 0 ? Direction.values() : directions) {
            lane(direction).hold();
        }
    }

    /** Passes everything on that much later. */
    public void delay(Direction direction, Duration delay) {
        lane(direction).delay(delay);
    }

    /** Ends all connections in the rudest way. */
    public void reset() {
        connections.forEach(ProxiedConnection::reset);
    }

    /** Lets so many more bytes pass, then resets the connection that wants to carry the next. */
    public void cutAfter(Direction direction, long bytes) {
        lane(direction).cutAfter(bytes);
    }

    /** Lets the server do what is asked, but the client never hears of it: the connection is reset instead. */
    public Rule swallowReplies(int times, Predicate<Request> which) {
        return add(new Rule(which, times, ProxiedConnection::forwardAndSwallow));
    }

    /** Answers with an error of Redis' own form, such as {@code LOADING Redis is loading}, instead of the server. */
    public Rule answer(Predicate<Request> which, String error) {
        Request substitute = Request.of("EVAL", "return redis.error_reply(ARGV[1])", "0", error);
        return add(new Rule(which, Integer.MAX_VALUE, (connection, request) -> connection.forward(substitute)));
    }

    /** Answers with any bytes, instead of the server, and in the turn of its answers. */
    public Rule answerRaw(Predicate<Request> which, byte[] bytes) {
        return add(new Rule(which, Integer.MAX_VALUE, (connection, request) -> connection.answerInOrder(bytes, false)));
    }

    /** As {@link #answerRaw}; then the connection is reset. */
    public Rule answerRawAndReset(Predicate<Request> which, byte[] bytes) {
        return add(new Rule(which, Integer.MAX_VALUE, (connection, request) -> connection.answerInOrder(bytes, true)));
    }

    /** Counts them and does nothing wrong. */
    public Rule count(Predicate<Request> which) {
        return add(new Rule(which, Integer.MAX_VALUE, ProxiedConnection::forward));
    }

    private Rule add(Rule rule) {
        rules.add(rule);
        return rule;
    }

    DirectionFaults lane(Direction direction) {
        return lanes.get(direction);
    }

    /** What is to be done with a request; the first rule that fits and is not used up decides. */
    Rule.Action actionFor(Request request) {
        for (Rule rule : rules) {
            if (rule.takes(request)) {
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
            connection = new ProxiedConnection(this, client, new Socket(InetAddress.getLoopbackAddress(), target));
        } catch (IOException serverIsDown) {
            ProxiedConnection.reset(client);
            return;
        }
        connections.add(connection);
        for (Direction direction : Direction.values()) {
            if (lane(direction).isBlackhole()) {
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
