package io.delayqueue.jdbc.oracle;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedSentinel;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The Redis of a run: one server at a time, which instances find at an {@link RedisAddress}, or by a Sentinel. */
final class ServedRedis implements AutoCloseable {

    private static final String DOWN_AFTER_MILLIS = "3000";

    private final Supplier<EmbeddedRedis.Builder> servers;
    private final RedisAddress address;
    private final @Nullable EmbeddedSentinel sentinel;
    private volatile EmbeddedRedis server;
    private @Nullable EmbeddedRedis replica;

    private ServedRedis(Supplier<EmbeddedRedis.Builder> servers, boolean isBehindSentinel) {
        this.servers = servers;
        this.server = start();
        this.address = new RedisAddress(server.port());
        this.sentinel = isBehindSentinel ? EmbeddedSentinel.watching(server) : null;
    }

    static ServedRedis atAddress() {
        return atAddress(Map.of());
    }

    /** Its servers have these variables. */
    static ServedRedis atAddress(Map<String, String> environment) {
        return new ServedRedis(
                () -> {
                    EmbeddedRedis.Builder builder = EmbeddedRedis.builder();
                    environment.forEach(builder::environment);
                    return builder;
                },
                false);
    }

    static ServedRedis behindSentinel() {
        ServedRedis redis = new ServedRedis(EmbeddedRedis::builder, true);
        // a replica that was cut off for longer than ten times that is not promoted
        redis.askSentinel(
                sentinel -> sentinel.set(EmbeddedSentinel.MASTER_NAME, "down-after-milliseconds", DOWN_AFTER_MILLIS));
        // the Sentinel may need ten seconds to find it
        redis.replica();
        return redis;
    }

    /** How Lettuce finds it. */
    String uri() {
        return sentinel == null ? address.uri() : sentinel.uri();
    }

    /** How Spring finds it. */
    Map<String, String> properties() {
        return sentinel == null
                ? Map.of("spring.data.redis.url", address.uri())
                : Map.of(
                        "spring.data.redis.sentinel.master",
                        EmbeddedSentinel.MASTER_NAME,
                        "spring.data.redis.sentinel.nodes",
                        sentinel.host() + ":" + sentinel.port());
    }

    /** Only without a Sentinel do instances go by it. */
    RedisAddress address() {
        return address;
    }

    /** Whether the Sentinel may promote the replica. */
    boolean isReplicaKnown() {
        String port = String.valueOf(replica().port());
        return askSentinel(sentinel -> sentinel.slaves(EmbeddedSentinel.MASTER_NAME)).stream()
                .anyMatch(known -> port.equals(known.get("port")) && "ok".equals(known.get("master-link-status")));
    }

    private <T> T askSentinel(Function<RedisSentinelCommands<String, String>, T> question) {
        RedisClient client = RedisClient.create(Objects.requireNonNull(sentinel).uri());
        try {
            return question.apply(client.connectSentinel().sync());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        }
    }

    /** The server that instances find now. */
    EmbeddedRedis server() {
        return server;
    }

    /** A server that instances don't find. */
    private EmbeddedRedis start() {
        return servers.get().appendOnly().start();
    }

    /** A replica of the server, until that fails over. */
    EmbeddedRedis replica() {
        if (replica == null) {
            EmbeddedRedis started = start();
            replica = started;
            EmbeddedRedis primary = server;
            // a setting would make it a replica again after each restart
            ask(started, redis -> redis.replicaof(primary.host(), primary.port()));
        }
        return replica;
    }

    /** The server that instances find now is gone; they find its replica from now on. */
    void failOver() {
        EmbeddedRedis former = server;
        EmbeddedRedis promoted = replica();
        former.kill();
        server = promoted;
        replica = null;
        address.moveTo(promoted.port());
        former.close();
    }

    /** Asks the server that instances find now, past their address. */
    <T> T ask(Function<RedisCommands<String, String>, T> question) {
        return ask(server, question);
    }

    /** Asks a server. */
    static <T> T ask(EmbeddedRedis server, Function<RedisCommands<String, String>, T> question) {
        RedisClient direct = RedisClient.create(server.uri());
        try {
            return question.apply(direct.connect().sync());
        } finally {
            direct.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        }
    }

    @Override
    public void close() {
        address.close();
        if (sentinel != null) {
            sentinel.close();
        }
        server.close();
        if (replica != null) {
            replica.close();
        }
    }
}
