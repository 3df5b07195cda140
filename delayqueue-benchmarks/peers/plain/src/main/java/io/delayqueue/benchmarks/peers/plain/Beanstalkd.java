package io.delayqueue.benchmarks.peers.plain;

import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The work queue beanstalkd, with one connection a thread, as its protocol requires. Its delays are whole seconds; others are rounded
 * up. A job is redelivered when its consumer's connection or its time to run ends.
 */
public final class Beanstalkd implements Peer {

    private final String server;
    private final long timeToRun;
    private final Queue<BeanstalkConnection> idle = new ConcurrentLinkedQueue<>();

    /** Connects at the first call. */
    public Beanstalkd(PeerSettings settings) {
        server = settings.server();
        timeToRun = Math.max(1, settings.lease().toSeconds());
    }

    @Override
    public void schedule(Outgoing message) throws IOException {
        scheduleAll(List.of(message));
    }

    @Override
    public void scheduleAll(List<Outgoing> messages) throws IOException {
        BeanstalkConnection pooled = idle.poll();
        BeanstalkConnection connection = pooled != null ? pooled : new BeanstalkConnection(server);
        connection.use(messages.get(0).topic());
        for (Outgoing message : messages) {
            connection.sendPut((message.delay().toMillis() + 999) / 1000, timeToRun, message.payload());
        }
        for (int i = 0; i < messages.size(); i++) {
            connection.readAnswer("INSERTED ");
        }
        idle.add(connection);
    }

    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) throws IOException {
        List<BeanstalkConnection> connections = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (String topic : topics) {
            for (int i = 0; i < concurrency; i++) {
                BeanstalkConnection connection = new BeanstalkConnection(server);
                connection.watchOnly(topic);
                connections.add(connection);
                threads.add(new Thread(() -> consume(connection, handler), "beanstalkd"));
            }
        }
        threads.forEach(Thread::start);
        return () -> {
            for (BeanstalkConnection connection : connections) {
                connection.close();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        };
    }

    private static void consume(BeanstalkConnection connection, Handler handler) {
        try {
            while (true) {
                BeanstalkConnection.Job job = connection.reserve();
                handler.handle(job.body(), Handler.UNKNOWN_DUE);
                connection.delete(job.id());
            }
        } catch (IOException closed) {
            // close() of the consumer ends the loop
        }
    }

    @Override
    public void close() throws IOException {
        for (BeanstalkConnection connection = idle.poll(); connection != null; connection = idle.poll()) {
            connection.close();
        }
    }
}
