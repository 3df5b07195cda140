package io.delayqueue.internal.redis;

import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.ServerReport;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.FutureErrors;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks one server about itself, and tries on it every command that the store uses. A permission that the user lacks goes into
 * the report; a question that the user may not ask stays unanswered.
 */
final class ServerInspection {

    /** Permission without which a Cluster's client can't start. */
    static final String LIST_SERVERS = "cluster|nodes";

    /** A subscription may go to another server of the Cluster, which may be silent: that is the other server's report. */
    private static final long MAX_SUBSCRIBE_MS = 1000;

    private static final String OPERATION = Script.INSPECT.label();

    private final CommandSender sender;
    private final ScriptExecutor scripts;
    private final Keys keys;
    private final Keys.OfPartition probeKeys;
    private final Features features;
    private final ServerReport.Builder report = ServerReport.builder();
    private final ServerFacts facts = new ServerFacts(report);
    private final List<String> missing = new ArrayList<>();
    private final List<String> missingInScripts = new ArrayList<>();

    /** @param probeKeys keys of no topic, in a slot of this server */
    ServerInspection(
            CommandSender sender, ScriptExecutor scripts, Keys keys, Keys.OfPartition probeKeys, Features features) {
        this.sender = sender;
        this.scripts = scripts;
        this.keys = keys;
        this.probeKeys = probeKeys;
        this.features = features;
    }

    /**
     * Features that need more than scripts.
     *
     * @param wakeUps null if consumers poll
     * @param shardChannels whether wake-ups stay within a shard of the Cluster
     * @param replication whether schedules wait for replicas
     * @param cluster whether the client has to know the other servers, too
     */
    record Features(@Nullable WakeUps wakeUps, boolean shardChannels, boolean replication, boolean cluster) {

        static Features of(Connections connections) {
            return new Features(
                    connections.wakeUps(),
                    connections.topology().hasShardChannels(),
                    connections.replicatedScripts() != null,
                    connections.topology().isSharded());
        }
    }

    /**
     * A command to try.
     *
     * @param permission what the user lacks if the command is denied; null if the library works without it
     */
    private record Trial(@Nullable String permission, Supplier<CompletableFuture<Void>> command) {}

    /**
     * Inspects the server, once.
     *
     * @param server its address for the report
     */
    CompletableFuture<ServerReport> run(String server) {
        CompletableFuture<Void> tried = CompletableFuture.completedFuture(null);
        for (Trial trial : trials()) {
            tried = tried.thenCompose(nothing -> attempt(trial));
        }
        return tried.thenApply(nothing -> {
            missing.addAll(missingInScripts);
            return report.server(server).missingPermissions(missing).build();
        });
    }

    private List<Trial> trials() {
        List<Trial> trials = new ArrayList<>();
        // first, so that the time for opening the connection is not part of the round trip that compares the clocks
        trials.add(new Trial("smembers " + Replies.text(keys.topics()), this::readTopics));
        trials.add(new Trial("evalsha, eval", this::tryCommandsOfScripts));
        WakeUps wakeUps = features.wakeUps();
        if (wakeUps != null) {
            String command = features.shardChannels() ? "ssubscribe" : "subscribe";
            trials.add(new Trial(command + " " + channelPattern(), () -> subscribe(wakeUps)));
        }
        if (features.replication()) {
            trials.add(new Trial("wait", () -> send(commands -> commands.waitForReplication(0, 1), replicas -> null)));
        }
        if (features.cluster()) {
            trials.add(new Trial(LIST_SERVERS, () -> send(commands -> commands.clusterNodes(), nodes -> null)));
            // sent before a command whose keys are on their way to this server
            trials.add(new Trial("asking", () -> send(commands -> commands.asking(), ok -> null)));
        }
        trials.add(new Trial(null, () -> send(commands -> commands.info(), facts::readInfo)));
        trials.add(new Trial(null, this::hello));
        trials.add(new Trial(null, () -> send(commands -> commands.configGet("save"), facts::readSnapshots)));
        return trials;
    }

    /** Fails unless the command ran, or was denied, or is optional and unknown to the server. */
    private CompletableFuture<Void> attempt(Trial trial) {
        return trial.command().get().exceptionally(error -> {
            Throwable cause = FutureErrors.unwrap(error);
            boolean denied = cause instanceof RedisAccessDeniedException && !RedisErrors.isLogin(cause);
            boolean unknown = cause instanceof UnexpectedReplyException && trial.permission() == null;
            if (!denied && !unknown) {
                throw new CompletionException(cause);
            }
            if (trial.permission() != null) {
                missing.add(trial.permission());
            }
            return null;
        });
    }

    private CompletableFuture<Void> tryCommandsOfScripts() {
        byte[] publish = features.wakeUps() == null
                ? new byte[0]
                : features.shardChannels() ? probeKeys.shardPublish() : probeKeys.publish();
        Instant sent = Instant.now();
        return scripts.run(
                Script.INSPECT,
                null,
                probeKeys.first(Script.INSPECT.keyCount()),
                new Arguments().add(publish),
                (List<Object> reply) -> {
                    readClock(Replies.number(reply.get(0)), sent, Instant.now());
                    for (Object command : reply.subList(1, reply.size())) {
                        String name = Replies.text(command);
                        missingInScripts.add(name.endsWith("publish") ? name + " " + channelPattern() : name);
                    }
                    return null;
                });
    }

    private void readClock(long serverMicros, Instant sent, Instant received) {
        if (serverMicros > 0) {
            report.clockOffset(clockOffset(Micros.instant(serverMicros), sent, received));
        }
    }

    /** Redis read its clock at some moment of the round trip, which may be long: what that explains is no offset. */
    static Duration clockOffset(Instant server, Instant sent, Instant received) {
        Instant nearest = server.isBefore(sent) ? sent : server.isAfter(received) ? received : server;
        return Duration.between(nearest, server);
    }

    private CompletableFuture<Void> readTopics() {
        return this.<Set<byte[]>>send(commands -> commands.smembers(keys.topics()), names -> null)
                .exceptionally(error -> {
                    // Redis checks permissions first: the key belongs to another server, and the command is allowed
                    if (RedisErrors.isElsewhere(error)) {
                        return null;
                    }
                    throw new CompletionException(error);
                });
    }

    private CompletableFuture<Void> subscribe(WakeUps wakeUps) {
        CompletableFuture<Void> tried = wakeUps.trySubscribe(probeKeys.channel());
        return features.cluster() ? tried.completeOnTimeout(null, MAX_SUBSCRIBE_MS, TimeUnit.MILLISECONDS) : tried;
    }

    /** Asks for the version where INFO is denied: HELLO is open to every user. */
    private CompletableFuture<Void> hello() {
        return facts.hasVersion()
                ? CompletableFuture.completedFuture(null)
                : send(
                        commands ->
                                commands.dispatch(CommandType.HELLO, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE)),
                        facts::readHello);
    }

    private <R> CompletableFuture<Void> send(
            CommandSender.Command<R> command, Function<? super R, @Nullable Void> reader) {
        return sender.send(OPERATION, null, keys.topics(), command, null, reader);
    }

    private String channelPattern() {
        String channel = Replies.text(probeKeys.channel());
        return channel.substring(0, channel.indexOf('{')) + "*";
    }
}
