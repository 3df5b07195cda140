package io.delayqueue.benchmarks.servers;

import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A Redis or Valkey without persistence, from the executable of the tests. */
public final class RedisServer implements Server {

    private static final List<String> SCRIPT_CALLS = List.of("eval", "evalsha", "fcall", "eval_ro", "evalsha_ro");

    private final EmbeddedRedis redis;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    private RedisServer(EmbeddedRedis redis) {
        this.redis = redis;
        this.client = RedisClient.create(redis.uri());
        this.connection = client.connect();
    }

    /** Starts a standalone server. */
    public static RedisServer start() {
        return new RedisServer(EmbeddedRedis.start());
    }

    /** Starts a server that can join a Cluster. */
    static RedisServer startForCluster(int port) {
        return new RedisServer(EmbeddedRedis.builder()
                .port(port)
                .setting("cluster-enabled", "yes")
                .setting("cluster-announce-ip", "127.0.0.1")
                .start());
    }

    @Override
    public String address() {
        return redis.uri();
    }

    String host() {
        return redis.host();
    }

    int port() {
        return redis.port();
    }

    RedisCommands<String, String> commands() {
        return connection.sync();
    }

    @Override
    public String description() {
        Map<String, String> info = info("server");
        String valkey = info.get("valkey_version");
        String version = valkey != null ? "Valkey " + valkey : "Redis " + info.get("redis_version");
        return version + ", no persistence, one server process";
    }

    /** Open connections. */
    public long connections() {
        return Long.parseLong(info("clients").getOrDefault("connected_clients", "0"));
    }

    /** Messages of a topic with one partition that this library has scheduled. */
    public long accepted(String topic) {
        return total(topic, "accepted");
    }

    /** Messages of a topic with one partition that this library's consumers have handled. */
    public long acked(String topic) {
        return total(topic, "acked");
    }

    private long total(String topic, String name) {
        String count = commands().hget("dq:{" + topic + ":0}:meta", name);
        return count == null ? 0 : Long.parseLong(count);
    }

    @Override
    public void flush() {
        commands().flushall();
    }

    /** The append-only file is not rewritten meanwhile: what that costs depends on the size of the file. */
    @Override
    public void keep(Durability durability) {
        commands().configSet("auto-aof-rewrite-percentage", "0");
        if (durability == Durability.USUAL) {
            commands().configSet("appendonly", "no");
            return;
        }
        // it is written again at the start, so each time begins with an empty file
        commands().configSet("appendonly", "no");
        flush();
        commands().configSet("appendfsync", durability == Durability.STRICT ? "always" : "everysec");
        commands().configSet("appendonly", "yes");
        List<String> rewrites = List.of("aof_rewrite_in_progress", "aof_rewrite_scheduled");
        while (!info("persistence").entrySet().stream()
                .filter(entry -> rewrites.contains(entry.getKey()))
                .allMatch(entry -> entry.getValue().equals("0"))) {
            Pause.millis(10);
        }
    }

    @Override
    public Usage usage() {
        Map<String, String> info = info("all");
        double cpu = Double.parseDouble(info.getOrDefault("used_cpu_user", "0"))
                + Double.parseDouble(info.getOrDefault("used_cpu_sys", "0"));
        long commands = 0;
        long scripts = 0;
        for (Map.Entry<String, String> entry : info.entrySet()) {
            if (entry.getKey().startsWith("cmdstat_") && !entry.getKey().equals("cmdstat_info")) {
                long calls = calls(entry.getValue());
                commands += calls;
                if (SCRIPT_CALLS.contains(entry.getKey().substring("cmdstat_".length()))) {
                    scripts += calls;
                }
            }
        }
        long memory = Long.parseLong(info.getOrDefault("used_memory", "0"));
        return new Usage(cpu * 1e6, commands, scripts, memory);
    }

    /** Reads {@code calls=12,usec=…}. */
    private static long calls(String statistics) {
        return Long.parseLong(statistics.substring("calls=".length(), statistics.indexOf(',')));
    }

    private Map<String, String> info(String section) {
        return commands()
                .info(section)
                .lines()
                .filter(line -> line.indexOf(':') > 0)
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(':')),
                        line -> line.substring(line.indexOf(':') + 1),
                        (first, second) -> first));
    }

    /** Server clock minus this process' clock, in µs; the error is half a round trip at most. */
    public long clockOffsetMicros() {
        long best = Long.MAX_VALUE;
        long offset = 0;
        for (int i = 0; i < 50; i++) {
            long before = nowMicros();
            List<String> time = commands().time();
            long after = nowMicros();
            if (after - before < best) {
                best = after - before;
                offset = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1)) - (before + after) / 2;
            }
        }
        return offset;
    }

    private static long nowMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    @Override
    public void close() {
        client.shutdown(0, 2, TimeUnit.SECONDS);
        redis.close();
    }
}
