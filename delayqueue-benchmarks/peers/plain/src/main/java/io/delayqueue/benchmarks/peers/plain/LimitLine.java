package io.delayqueue.benchmarks.peers.plain;

import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The least that survives a consumer's crash: the limit of what Redis can do. One HSET and one ZADD for all messages of a call, and
 * for all single calls that came while the ones before were under way; one script that moves due ids to a set of leased ids and
 * returns the bodies; one ZREM and one HDEL for all that were handled, in one write with the next claim. Once a second another
 * script moves ids back whose lease expired. A claimer handles and deletes what it claims, and polls every millisecond while nothing
 * is due. No retry, fence, counters, priorities, duplicate policy or limit of attempts; due times by the client's clock.
 *
 * <p>The variant {@link #PIPELINING} sends a command for each message instead, all of a call in one write.
 */
public final class LimitLine implements Peer {

    private static final byte[] CLAIM = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
            if #ids == 0 then return { {}, {} } end
            local bodies = redis.call('HMGET', KEYS[3], unpack(ids))
            redis.call('ZREM', KEYS[1], unpack(ids))
            local leased = {}
            for i, id in ipairs(ids) do
              leased[2 * i - 1] = now + ARGV[2]
              leased[2 * i] = id
            end
            redis.call('ZADD', KEYS[2], unpack(leased))
            return { ids, bodies }
            """.getBytes(StandardCharsets.US_ASCII);

    private static final byte[] RETURN_EXPIRED = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)) do
              redis.call('ZREM', KEYS[2], id)
              redis.call('ZADD', KEYS[1], now, id)
            end
            """.getBytes(StandardCharsets.US_ASCII);

    private static final String PIPELINING = "pipelining";

    /** A second one claims while the first one handles. Four differ from two by less than runs do, on two cores. */
    private static final int CLAIMERS = 2;

    /** At any concurrency, as this library prefetches, too. The set of leased ids of fewer would be a list that Redis searches. */
    private static final int LEAST_CLAIM = 100;

    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> shared;
    private final ThreadLocal<StatefulRedisConnection<byte[], byte[]>> connections;
    private final long leaseMillis;
    private final boolean pipelining;
    private final Lock lock = new ReentrantLock();
    private List<Waiting> waiting = new ArrayList<>();
    private boolean underWay;

    /** Connects to the server. */
    public LimitLine(PeerSettings settings) {
        client = RedisClient.create(settings.server());
        shared = client.connect(ByteArrayCodec.INSTANCE);
        connections = ThreadLocal.withInitial(() -> client.connect(ByteArrayCodec.INSTANCE));
        leaseMillis = settings.lease().toMillis();
        pipelining = settings.variant().equals(PIPELINING);
    }

    @Override
    public void schedule(Outgoing message) throws Exception {
        scheduleAsync(message).get();
    }

    @Override
    public CompletableFuture<?> scheduleAsync(Outgoing message) {
        if (pipelining) {
            return send(shared, commandsForEach(List.of(message)));
        }
        Waiting added = new Waiting(message, new CompletableFuture<>());
        lock.lock();
        try {
            waiting.add(added);
        } finally {
            lock.unlock();
        }
        sendWaiting();
        return added.sent();
    }

    /** Sends all that wait, unless others are under way: what comes meanwhile goes together afterwards. */
    private void sendWaiting() {
        List<Waiting> batch;
        lock.lock();
        try {
            if (underWay || waiting.isEmpty()) {
                return;
            }
            underWay = true;
            batch = waiting;
            waiting = new ArrayList<>();
        } finally {
            lock.unlock();
        }
        send(shared, commandsForAll(batch.stream().map(Waiting::message).toList()))
                .whenComplete((sent, failure) -> {
                    lock.lock();
                    try {
                        underWay = false;
                    } finally {
                        lock.unlock();
                    }
                    sendWaiting();
                    for (Waiting each : batch) {
                        if (failure == null) {
                            each.sent().complete(null);
                        } else {
                            each.sent().completeExceptionally(failure);
                        }
                    }
                });
    }

    @Override
    public void scheduleAll(List<Outgoing> messages) throws Exception {
        send(connections.get(), pipelining ? commandsForEach(messages) : commandsForAll(messages))
                .get();
    }

    /** Sends these commands in one write to the socket. */
    private static CompletableFuture<?> send(
            StatefulRedisConnection<byte[], byte[]> connection, List<AsyncCommand<byte[], byte[], Long>> commands) {
        connection.dispatch(commands);
        return CompletableFuture.allOf(commands.toArray(CompletableFuture<?>[]::new));
    }

    private static List<AsyncCommand<byte[], byte[], Long>> commandsForEach(List<Outgoing> messages) {
        return messages.stream()
                .flatMap(message -> commandsForAll(List.of(message)).stream())
                .toList();
    }

    /** Two commands a topic. */
    private static List<AsyncCommand<byte[], byte[], Long>> commandsForAll(List<Outgoing> messages) {
        Map<String, List<Outgoing>> byTopic = messages.stream().collect(Collectors.groupingBy(Outgoing::topic));
        List<AsyncCommand<byte[], byte[], Long>> commands = new ArrayList<>(2 * byTopic.size());
        byTopic.forEach((topic, ofTopic) -> {
            Keys keys = Keys.of(topic);
            CommandArgs<byte[], byte[]> bodies = arguments().addKey(keys.bodies());
            CommandArgs<byte[], byte[]> dueTimes = arguments().addKey(keys.scheduled());
            long now = System.currentTimeMillis();
            for (Outgoing message : ofTopic) {
                byte[] id = message.id().getBytes(StandardCharsets.ISO_8859_1);
                bodies.addKey(id).addValue(message.payload());
                dueTimes.add(now + message.delay().toMillis()).addKey(id);
            }
            commands.add(command(CommandType.HSET, bodies));
            commands.add(command(CommandType.ZADD, dueTimes));
        });
        return commands;
    }

    private static AsyncCommand<byte[], byte[], Long> command(CommandType type, CommandArgs<byte[], byte[]> arguments) {
        return new AsyncCommand<>(new Command<>(type, new IntegerOutput<>(ByteArrayCodec.INSTANCE), arguments));
    }

    private static CommandArgs<byte[], byte[]> arguments() {
        return new CommandArgs<>(ByteArrayCodec.INSTANCE);
    }

    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        int claimers = pipelining ? 1 : CLAIMERS;
        List<Thread> threads = topics.stream()
                .flatMap(topic -> Stream.generate(
                                () -> new Thread(() -> consume(Keys.of(topic), concurrency, handler), "limit-line"))
                        .limit(claimers))
                .toList();
        threads.forEach(Thread::start);
        return () -> {
            for (Thread thread : threads) {
                thread.interrupt();
                thread.join();
            }
        };
    }

    private void consume(Keys keys, int concurrency, Handler handler) {
        byte[][] keyNames = {keys.scheduled(), keys.leased(), keys.bodies()};
        byte[] limit = ascii(pipelining ? concurrency : Math.max(concurrency, LEAST_CLAIM));
        byte[] lease = ascii(leaseMillis);
        try (StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE)) {
            RedisAsyncCommands<byte[], byte[]> redis = connection.async();
            String claim = connection.sync().scriptLoad(CLAIM);
            String returnExpired = connection.sync().scriptLoad(RETURN_EXPIRED);
            connection.setAutoFlushCommands(false); // so that deletions are sent together with the next claim
            long nextReturn = System.nanoTime();
            while (!Thread.currentThread().isInterrupted()) {
                if (System.nanoTime() - nextReturn > 0) {
                    nextReturn = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
                    redis.evalsha(returnExpired, ScriptOutputType.STATUS, keyNames);
                }
                RedisFuture<List<List<byte[]>>> claimed =
                        redis.evalsha(claim, ScriptOutputType.MULTI, keyNames, limit, lease);
                connection.flushCommands();
                List<List<byte[]>> idsAndBodies = claimed.get();
                for (byte[] body : idsAndBodies.get(1)) {
                    handler.handle(body, Handler.UNKNOWN_DUE);
                }
                byte[][] ids = idsAndBodies.get(0).toArray(byte[][]::new);
                if (ids.length == 0) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                } else if (pipelining) {
                    for (byte[] id : ids) {
                        redis.zrem(keys.leased(), id);
                        redis.hdel(keys.bodies(), id);
                    }
                } else {
                    redis.zrem(keys.leased(), ids);
                    redis.hdel(keys.bodies(), ids);
                }
            }
            connection.flushCommands();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] ascii(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }

    private record Waiting(Outgoing message, CompletableFuture<Void> sent) {}

    private record Keys(byte[] scheduled, byte[] leased, byte[] bodies) {

        static Keys of(String topic) {
            return new Keys(key(topic, ":scheduled"), key(topic, ":leased"), key(topic, ":bodies"));
        }

        private static byte[] key(String topic, String suffix) {
            return ("limit:" + topic + suffix).getBytes(StandardCharsets.ISO_8859_1);
        }
    }
}
