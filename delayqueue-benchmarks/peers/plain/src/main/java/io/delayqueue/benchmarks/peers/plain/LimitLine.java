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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The least that survives a consumer's crash: the limit of what Redis can do. Pipelined HSET and ZADD; one script that moves
 * due ids to a set of leased ids and returns the bodies; pipelined ZREM and HDEL. Once a second another script moves ids back
 * whose lease expired. One thread claims, handles and deletes, and polls every millisecond while nothing is due.
 * No retry, fence, counters, priorities, duplicate policy or limit of attempts; due times by the client's clock.
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

    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> shared;
    private final ThreadLocal<StatefulRedisConnection<byte[], byte[]>> connections;
    private final long leaseMillis;

    /** Connects to the server. */
    public LimitLine(PeerSettings settings) {
        client = RedisClient.create(settings.server());
        shared = client.connect(ByteArrayCodec.INSTANCE);
        connections = ThreadLocal.withInitial(() -> client.connect(ByteArrayCodec.INSTANCE));
        leaseMillis = settings.lease().toMillis();
    }

    @Override
    public void schedule(Outgoing message) throws Exception {
        scheduleAsync(message).get();
    }

    @Override
    public CompletableFuture<?> scheduleAsync(Outgoing message) {
        return sendAll(shared, List.of(message));
    }

    @Override
    public void scheduleAll(List<Outgoing> messages) throws Exception {
        sendAll(connections.get(), messages).get();
    }

    /** Sends all messages in one write to the socket. */
    private static CompletableFuture<?> sendAll(
            StatefulRedisConnection<byte[], byte[]> connection, List<Outgoing> messages) {
        List<AsyncCommand<byte[], byte[], Long>> commands = new ArrayList<>(2 * messages.size());
        for (Outgoing message : messages) {
            Keys keys = Keys.of(message.topic());
            byte[] id = message.id().getBytes(StandardCharsets.ISO_8859_1);
            long due = System.currentTimeMillis() + message.delay().toMillis();
            commands.add(command(
                    CommandType.HSET,
                    arguments().addKey(keys.bodies()).addKey(id).addValue(message.payload())));
            commands.add(command(
                    CommandType.ZADD,
                    arguments().addKey(keys.scheduled()).add(due).addKey(id)));
        }
        connection.dispatch(commands);
        return CompletableFuture.allOf(commands.toArray(CompletableFuture<?>[]::new));
    }

    private static AsyncCommand<byte[], byte[], Long> command(CommandType type, CommandArgs<byte[], byte[]> arguments) {
        return new AsyncCommand<>(new Command<>(type, new IntegerOutput<>(ByteArrayCodec.INSTANCE), arguments));
    }

    private static CommandArgs<byte[], byte[]> arguments() {
        return new CommandArgs<>(ByteArrayCodec.INSTANCE);
    }

    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        List<Thread> threads = topics.stream()
                .map(topic -> new Thread(() -> consume(Keys.of(topic), concurrency, handler), "limit-line"))
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
        byte[] limit = ascii(concurrency);
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
                for (byte[] id : idsAndBodies.get(0)) {
                    redis.zrem(keys.leased(), id);
                    redis.hdel(keys.bodies(), id);
                }
                if (idsAndBodies.get(0).isEmpty()) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
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

    private record Keys(byte[] scheduled, byte[] leased, byte[] bodies) {

        static Keys of(String topic) {
            return new Keys(key(topic, ":scheduled"), key(topic, ":leased"), key(topic, ":bodies"));
        }

        private static byte[] key(String topic, String suffix) {
            return ("limit:" + topic + suffix).getBytes(StandardCharsets.ISO_8859_1);
        }
    }
}
