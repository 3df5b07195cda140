package io.delayqueue.internal.redis;

import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.ServerReport;
import io.delayqueue.UnexpectedReplyException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Asks a server about itself, and tries everything that will be needed. What the user may not ask is left open. */
final class ServerInspection {

    /** What the client of a Cluster begins with. */
    static final String LIST_SERVERS = "cluster|nodes";

    private static final long LONGEST_SUBSCRIBING_MS = 1000;

    private static final String UNKNOWN_VERSION = "";

    private final CommandSender calls;
    private final ScriptExecutor scripts;
    private final Keys keys;
    private final Keys.OfPartition nobody;
    private final Needs needs;

    /** @param nobody keys to try things on, which that server has */
    ServerInspection(CommandSender calls, ScriptExecutor scripts, Keys keys, Keys.OfPartition nobody, Needs needs) {
        this.calls = calls;
        this.scripts = scripts;
        this.keys = keys;
        this.nobody = nobody;
        this.needs = needs;
    }

    /**
     * What will be done beside running scripts.
     *
     * @param wakeUps null if consumers poll
     * @param shardChannels whether wake-ups stay with the server
     * @param waits whether replicas are waited for
     * @param ofCluster whether other servers have to be known, too
     */
    record Needs(@Nullable WakeUps wakeUps, boolean shardChannels, boolean waits, boolean ofCluster) {

        static Needs of(Connections connections) {
            return new Needs(
                    connections.wakeUps(),
                    connections.servers().haveShardChannels(),
                    connections.replicas() != null,
                    connections.servers().areMany());
        }
    }

    /** @param server its name in the report */
    CompletableFuture<ServerReport> run(String server) {
        List<String> missing = new ArrayList<>();
        Findings findings = new Findings();
        return unlessDenied(tryCommands(findings), "evalsha, eval", missing)
                .thenCompose(nothing -> unlessDenied(readTopics(), "smembers " + text(keys.topics()), missing))
                .thenCompose(nothing -> unlessDenied(subscribe(), subscribeCommand() + " " + channelPattern(), missing))
                .thenCompose(nothing -> unlessDenied(tryWait(), "wait", missing))
                .thenCompose(nothing -> unlessDenied(listServers(), LIST_SERVERS, missing))
                .thenCompose(nothing -> unlessDenied(tryAsking(), "asking", missing))
                .thenCompose(nothing -> unlessDenied(info(findings), null, missing))
                .thenCompose(nothing -> unlessDenied(hello(findings), null, missing))
                .thenCompose(nothing -> unlessDenied(savePoints(findings), null, missing))
                .thenApply(nothing -> findings.report(server, missing));
    }

    private CompletableFuture<Void> tryCommands(Findings findings) {
        Arguments arguments = new Arguments()
                .add(
                        needs.wakeUps() == null
                                ? new byte[0]
                                : needs.shardChannels() ? nobody.shardPublish() : nobody.publish());
        Instant before = Instant.now();
        return scripts.run(
                Script.INSPECT, null, nobody.first(Script.INSPECT.keyCount()), arguments, (List<Object> reply) -> {
                    Instant after = Instant.now();
                    long now = Replies.number(reply.get(0));
                    if (now > 0) {
                        Instant here =
                                before.plus(Duration.between(before, after).dividedBy(2));
                        findings.clockOffset = Duration.between(here, Micros.instant(now));
                    }
                    for (Object command : reply.subList(1, reply.size())) {
                        String name = Replies.text(command);
                        findings.denied.add(name.endsWith("publish") ? name + " " + channelPattern() : name);
                    }
                    return null;
                });
    }

    private CompletableFuture<Void> readTopics() {
        return calls.<Set<byte[]>, @Nullable Void>send(
                        "inspect",
                        null,
                        keys.topics(),
                        commands -> commands.smembers(keys.topics()),
                        null,
                        names -> null)
                .exceptionally(error -> {
                    // rights are checked first: this server only has other keys
                    if (RedisErrors.isElsewhere(error)) {
                        return null;
                    }
                    throw new CompletionException(error);
                });
    }

    private CompletableFuture<Void> subscribe() {
        WakeUps wakeUps = needs.wakeUps();
        if (wakeUps == null) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> tried = wakeUps.tryOut(nobody.channel());
        // it may go to another server than this one, and that one may be silent
        return needs.ofCluster() ? tried.completeOnTimeout(null, LONGEST_SUBSCRIBING_MS, TimeUnit.MILLISECONDS) : tried;
    }

    private CompletableFuture<Void> tryWait() {
        if (!needs.waits()) {
            return CompletableFuture.completedFuture(null);
        }
        return calls.send(
                "inspect", null, keys.topics(), commands -> commands.waitForReplication(0, 1), null, replicas -> null);
    }

    private CompletableFuture<Void> listServers() {
        if (!needs.ofCluster()) {
            return CompletableFuture.completedFuture(null);
        }
        return calls.send("inspect", null, keys.topics(), commands -> commands.clusterNodes(), null, nodes -> null);
    }

    /** What leads to a key that is under way to another server; does nothing by itself. */
    private CompletableFuture<Void> tryAsking() {
        if (!needs.ofCluster()) {
            return CompletableFuture.completedFuture(null);
        }
        return calls.send("inspect", null, keys.topics(), commands -> commands.asking(), null, ok -> null);
    }

    private CompletableFuture<Void> info(Findings findings) {
        return calls.send("inspect", null, keys.topics(), commands -> commands.info(), null, findings::readInfo);
    }

    /** For users that may not ask INFO: HELLO is open to all. */
    private CompletableFuture<Void> hello(Findings findings) {
        if (!findings.version.equals(UNKNOWN_VERSION)) {
            return CompletableFuture.completedFuture(null);
        }
        return calls.send(
                "inspect",
                null,
                keys.topics(),
                commands -> commands.dispatch(CommandType.HELLO, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE)),
                null,
                findings::readHello);
    }

    /** INFO does not tell whether snapshots are on. */
    private CompletableFuture<Void> savePoints(Findings findings) {
        return calls.send(
                "inspect", null, keys.topics(), commands -> commands.configGet("save"), null, findings::readSavePoints);
    }

    private String subscribeCommand() {
        return needs.shardChannels() ? "ssubscribe" : "subscribe";
    }

    private String channelPattern() {
        String channel = text(nobody.channel());
        return channel.substring(0, channel.indexOf('{')) + "*";
    }

    private static String text(byte[] name) {
        return Replies.text(name);
    }

    /** Goes on if the user lacks the right, or the server does not know the command, and notes the right if it matters. */
    private static CompletableFuture<Void> unlessDenied(
            CompletableFuture<Void> attempt, @Nullable String right, List<String> missing) {
        return attempt.exceptionally(error -> {
            Throwable cause =
                    error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
            boolean tolerable = cause instanceof RedisAccessDeniedException && !RedisErrors.isLogin(cause)
                    || right == null && cause instanceof UnexpectedReplyException;
            if (!tolerable) {
                throw new CompletionException(cause);
            }
            if (right != null) {
                missing.add(right);
            }
            return null;
        });
    }

    /** What was found out so far; one thread at a time. */
    private static final class Findings {

        private String product = "redis";
        private String version = UNKNOWN_VERSION;
        private String evictionPolicy = "";
        private long memoryLimit;
        private boolean persistent = true;
        private Duration clockOffset = Duration.ZERO;
        private final List<String> denied = new ArrayList<>();

        @Nullable
        Void readInfo(String info) {
            Map<String, String> fields = new HashMap<>();
            info.lines().forEach(line -> {
                int colon = line.indexOf(':');
                if (colon > 0) {
                    fields.put(
                            line.substring(0, colon), line.substring(colon + 1).trim());
                }
            });
            version = fields.getOrDefault("redis_version", version);
            String valkey = fields.get("valkey_version");
            if (valkey != null || "valkey".equals(fields.get("server_name"))) {
                product = "valkey";
                version = valkey != null ? valkey : version;
            }
            evictionPolicy = fields.getOrDefault("maxmemory_policy", "");
            memoryLimit = Long.parseLong(fields.getOrDefault("maxmemory", "0"));
            persistent = !"0".equals(fields.get("aof_enabled"));
            return null;
        }

        @Nullable
        Void readHello(List<Object> pairs) {
            for (int i = 0; i + 1 < pairs.size(); i += 2) {
                switch (Replies.text(pairs.get(i))) {
                    case "server" -> product = Replies.text(pairs.get(i + 1));
                    case "version" -> version = Replies.text(pairs.get(i + 1));
                    default -> {}
                }
            }
            return null;
        }

        @Nullable
        Void readSavePoints(Map<String, String> setting) {
            persistent |= !setting.getOrDefault("save", "").isBlank();
            return null;
        }

        ServerReport report(String server, List<String> missing) {
            List<String> all = new ArrayList<>(missing);
            all.addAll(denied);
            return new ServerReport(
                    server, "", product, version, evictionPolicy, memoryLimit, persistent, clockOffset, all);
        }
    }
}
