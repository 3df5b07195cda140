package io.delayqueue.cost;

import static org.awaitility.Awaitility.await;

import io.delayqueue.test.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts the commands that clients send, by {@code MONITOR}.
 *
 * <p>{@code INFO commandstats} and {@code total_commands_processed} also count each command inside a script, so they can't
 * tell a script from a client that polls with {@code ZRANGE}. {@code MONITOR} marks the former with {@code lua} instead of
 * an address. The calls of scripts are compared with {@code commandstats}, to show that none was missed.
 */
final class CommandMonitor implements AutoCloseable {

    private static final Pattern BY_CLIENT =
            Pattern.compile("^\\+[\\d.]+ \\[\\d+ (?!lua)\\S+] \"([^\"]*)\"(?: \"([^\"]*)\")?.*");
    /** Sent by the tests themselves. */
    private static final Set<String> OURS = Set.of("echo", "info", "config");

    private final Socket socket;
    private final RedisProbe probe;
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();
    private volatile String lastEcho = "";
    private int echoes;
    private long scriptsBeforeReset;
    private long scriptsAfterReset;

    CommandMonitor(EmbeddedRedis redis, RedisProbe probe) throws IOException {
        this.probe = probe;
        socket = new Socket(redis.host(), redis.port());
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
        socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
        if (!"+OK".equals(lines.readLine())) {
            throw new IOException("MONITOR refused");
        }
        Thread reader = new Thread(() -> readAll(lines), "monitor");
        reader.setDaemon(true);
        reader.start();
        reset();
    }

    private void readAll(BufferedReader lines) {
        try {
            lines.lines().forEach(this::read);
        } catch (UncheckedIOException closed) {
            // by close()
        }
    }

    private void read(String line) {
        Matcher command = BY_CLIENT.matcher(line);
        if (command.matches()) {
            String name = command.group(1).toLowerCase();
            if (name.equals("echo")) {
                lastEcho = command.group(2);
            } else if (!OURS.contains(name)) {
                counts.merge(name, 1, Integer::sum);
            }
        }
    }

    /** Counts from now on. */
    void reset() {
        scriptsBeforeReset = probe.scriptCalls();
        catchUp();
        counts.clear();
        scriptsAfterReset = probe.scriptCalls();
    }

    /** Commands that clients have sent since, by name in lower case. */
    Map<String, Integer> counts() {
        long least = probe.scriptCalls() - scriptsAfterReset;
        catchUp();
        Map<String, Integer> seen = new TreeMap<>(counts);
        long most = probe.scriptCalls() - scriptsBeforeReset;
        long scripts = seen.getOrDefault("evalsha", 0) + seen.getOrDefault("eval", 0);
        if (scripts < least || scripts > most) {
            throw new IllegalStateException(
                    "MONITOR tells " + scripts + " scripts, commandstats " + least + " to " + most);
        }
        return seen;
    }

    int total() {
        return counts().values().stream().mapToInt(count -> count).sum();
    }

    /** Waits until all commands sent before are read. */
    private void catchUp() {
        String mark = "mark-" + ++echoes;
        probe.echo(mark);
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(30))
                .until(() -> mark.equals(lastEcho));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
