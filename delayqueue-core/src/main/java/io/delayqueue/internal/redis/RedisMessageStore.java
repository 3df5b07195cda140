package io.delayqueue.internal.redis;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DeadLetter;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ServerReport;
import io.delayqueue.TopicStats;
import io.delayqueue.WakeUp;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.RescheduleAnswer;
import io.delayqueue.internal.store.Retry;
import io.delayqueue.internal.store.ScheduleAnswer;
import io.delayqueue.internal.store.Turn;
import io.lettuce.core.RedisClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Keeps messages in Redis: each operation is one script, whose header tells what goes in and comes out. */
public final class RedisMessageStore implements MessageStore {

    private static final List<String> TURNS = List.of("claim:", "ack:", "retry:", "extend:");

    private final DelayQueueOptions options;
    private final Keys keys;
    private final Connections connections;
    private final Calls calls;
    private final ScriptExecutor scripts;

    private RedisMessageStore(DelayQueueOptions options, Connections connections) {
        this.options = options;
        this.keys = new Keys(options.keyPrefix());
        this.connections = connections;
        this.calls = connections.calls();
        this.scripts = new ScriptExecutor(calls, keys, options.observer());
    }

    /** A store over the caller's client, which stays open when the store is closed. Sends nothing yet. */
    public static RedisMessageStore over(RedisClient client, DelayQueueOptions options) {
        return new RedisMessageStore(options, Connections.over(client, options));
    }

    @Override
    public CompletableFuture<Void> register(String topic) {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        return calls.send("register", topic, commands -> commands.sadd(keys.topics(), name), null, added -> null);
    }

    @Override
    public CompletableFuture<ScheduleAnswer> schedule(String topic, List<OutgoingMessage> messages) {
        Arguments arguments =
                Requests.schedule(channel(topic), options.topic(topic).maxPending(), messages);
        return scripts.run(
                Script.SCHEDULE, topic, arguments, (List<Object> reply) -> Replies.schedule(reply, messages.size()));
    }

    @Override
    public CompletableFuture<ClaimAnswer> claim(String topic, ClaimRequest request) {
        return scripts.run(
                Script.CLAIM,
                topic,
                Requests.claim(request),
                (List<Object> reply) -> MessageReplies.claim(reply, topic, request.maxAttempts()));
    }

    @Override
    public CompletableFuture<List<Boolean>> ack(String topic, Turn turn, List<Lease> leases) {
        return scripts.run(
                Script.ACK, topic, Requests.ack(turn, leases), (byte[] reply) -> Replies.done(reply, leases.size()));
    }

    @Override
    public CompletableFuture<List<Boolean>> retry(String topic, Turn turn, List<Retry> retries) {
        Arguments arguments = Requests.retry(turn, channel(topic), retries);
        return scripts.run(
                Script.RETRY,
                topic,
                arguments,
                (List<Object> reply) -> Replies.done((byte[]) reply.get(0), retries.size()));
    }

    @Override
    public CompletableFuture<List<Long>> extend(String topic, Turn turn, List<Extension> extensions) {
        return scripts.run(
                Script.EXTEND,
                topic,
                Requests.extend(turn, extensions),
                (List<Object> reply) -> Replies.receipts(reply, extensions.size()));
    }

    @Override
    public CompletableFuture<List<Boolean>> release(String topic, List<Release> releases) {
        Arguments arguments = Requests.release(channel(topic), releases);
        return scripts.run(Script.RELEASE, topic, arguments, (byte[] reply) -> Replies.done(reply, releases.size()));
    }

    @Override
    public CompletableFuture<Void> forget(String topic, String consumer) {
        byte[][] fields = TURNS.stream()
                .map(kind -> (kind + consumer).getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        byte[] meta = keys.of(topic).meta();
        return calls.send("forget", topic, commands -> commands.hdel(meta, fields), null, count -> null);
    }

    @Override
    public CompletableFuture<List<CancelOutcome>> cancel(String topic, List<String> ids) {
        Arguments arguments = new Arguments().addAll(ids);
        return scripts.run(Script.CANCEL, topic, arguments, (byte[] reply) -> Replies.cancel(reply, ids.size()));
    }

    @Override
    public CompletableFuture<RescheduleAnswer> reschedule(String topic, List<String> ids, Delay delay) {
        Arguments arguments =
                new Arguments().add(channel(topic)).add(Micros.due(delay)).addAll(ids);
        return scripts.run(
                Script.RESCHEDULE, topic, arguments, (List<Object> reply) -> Replies.reschedule(reply, ids.size()));
    }

    @Override
    public CompletableFuture<Optional<MessageInfo>> find(String topic, String id) {
        return scripts.run(
                Script.FIND,
                topic,
                new Arguments().add(id),
                (List<Object> reply) -> MessageReplies.find(reply, topic, id));
    }

    @Override
    public CompletableFuture<Map<String, TopicStats>> stats(Collection<String> topics) {
        List<String> names = List.copyOf(topics);
        if (names.isEmpty()) {
            return CompletableFuture.completedFuture(Map.of());
        }
        return scripts.runOnAll(Script.STATS, names, (List<Object> reply) -> Replies.stats(reply, names));
    }

    @Override
    public CompletableFuture<Set<String>> topics() {
        return calls.send("topics", null, commands -> commands.smembers(keys.topics()), null, names -> {
            Set<String> sorted = new TreeSet<>();
            names.forEach(name -> sorted.add(Replies.text(name)));
            return sorted;
        });
    }

    @Override
    public CompletableFuture<Void> setPaused(String topic, boolean paused) {
        Keys.OfTopic of = keys.of(topic);
        byte[] field = "paused".getBytes(StandardCharsets.UTF_8);
        if (paused) {
            byte[] yes = {'1'};
            return calls.send("pause", topic, commands -> commands.hset(of.meta(), field, yes), null, added -> null);
        }
        return calls.<Long, Void>send("resume", topic, commands -> commands.hdel(of.meta(), field), null, gone -> null)
                .thenCompose(nothing -> wakeAll(topic, of));
    }

    /** A denied PUBLISH costs lateness only, as it does in the scripts. */
    private CompletableFuture<Void> wakeAll(String topic, Keys.OfTopic of) {
        if (options.wakeUp() == WakeUp.POLL) {
            return CompletableFuture.completedFuture(null);
        }
        byte[] now = {'0'};
        return calls.<Long, Void>send(
                        "resume", topic, commands -> commands.publish(of.channel(), now), null, heard -> null)
                .exceptionally(error -> null);
    }

    @Override
    public CompletableFuture<List<DeadLetter>> deadLetters(String topic, int offset, int limit) {
        Arguments arguments = new Arguments().add(offset).add(limit).add(LARGEST_BYTES);
        return scripts.run(
                Script.DEAD_LETTERS,
                topic,
                arguments,
                (List<Object> reply) -> MessageReplies.deadLetters(reply, topic));
    }

    @Override
    public CompletableFuture<Long> redrive(String topic, List<String> ids) {
        Arguments arguments =
                new Arguments().add(channel(topic)).add(ids.size()).addNothing().addAll(ids);
        return scripts.run(Script.REDRIVE, topic, arguments, (List<Object> reply) -> Replies.number(reply.get(0)));
    }

    @Override
    public CompletableFuture<RedriveStep> redriveUntil(String topic, long untilMicros) {
        Arguments arguments =
                new Arguments().add(channel(topic)).add(LARGEST_BATCH).add(untilMicros);
        return scripts.run(
                Script.REDRIVE,
                topic,
                arguments,
                (List<Object> reply) -> new RedriveStep(Replies.number(reply.get(0)), Replies.number(reply.get(1))));
    }

    @Override
    public CompletableFuture<Long> purge(String topic, List<String> ids) {
        Arguments arguments = new Arguments().add(ids.size()).addNothing().addAll(ids);
        return scripts.run(Script.PURGE, topic, arguments, (Long count) -> count);
    }

    @Override
    public CompletableFuture<Long> purgeOlderThan(String topic, Duration age) {
        Arguments arguments = new Arguments().add(LARGEST_BATCH).add(age);
        return scripts.run(Script.PURGE, topic, arguments, (Long count) -> count);
    }

    @Override
    public CompletableFuture<ServerReport> inspect() {
        return new ServerInspection(calls, scripts, keys, connections.wakeUps()).run();
    }

    @Override
    public AutoCloseable listen(String topic, WakeUpListener listener) {
        WakeUps wakeUps = connections.wakeUps();
        return wakeUps == null ? () -> {} : wakeUps.listen(keys.of(topic).channel(), listener);
    }

    @Override
    public void close() {
        connections.close();
    }

    private byte[] channel(String topic) {
        return options.wakeUp() == WakeUp.POLL ? new byte[0] : keys.of(topic).channel();
    }
}
