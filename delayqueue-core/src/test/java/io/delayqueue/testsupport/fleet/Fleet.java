package io.delayqueue.testsupport.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.ChildJvm;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.proxy.FaultyProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * A server, workers that each reach it through a proxy of their own, and all that they write down. One connection goes
 * straight to the server, to do harm and to check the accounts.
 */
public final class Fleet implements AutoCloseable {

    private final EmbeddedRedis server;
    private final Duration commandTimeout;
    private final Duration guard;
    private final RedisClient admin;
    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final DelayQueueClient queue;
    private final Accounts accounts;
    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final List<Member> members = new CopyOnWriteArrayList<>();
    private int startedWorkers;

    /** A fleet without workers; the server stays the caller's, and has the documented user. */
    public Fleet(EmbeddedRedis server, Duration commandTimeout, Duration guard) {
        this.server = server;
        this.commandTimeout = commandTimeout;
        this.guard = guard;
        this.admin = RedisClient.create(server.uri());
        this.client = RedisClient.create(DocumentedUser.uri(server.uri()));
        this.redis = admin.connect().sync();
        this.queue = DelayQueueClient.create(
                client,
                DelayQueueOptions.builder().commandTimeout(commandTimeout).build());
        this.accounts = new Accounts(queue);
    }

    /** A worker and the way it takes to the server. */
    public record Member(String name, FaultyProxy proxy, ChildJvm jvm) {

        /** Orders it about; see {@link Worker}. */
        public void tell(Object... words) {
            jvm.writeLine(String.join(
                    " ", List.of(words).stream().map(String::valueOf).toList()));
        }
    }

    /** Another worker, in a JVM of its own. Returns once it is there, for which it needs the server. */
    public Member startWorker() {
        String name = "w" + startedWorkers++;
        FaultyProxy proxy = new FaultyProxy(server.port());
        ChildJvm jvm = ChildJvm.running(Worker.class)
                .arguments(
                        name,
                        server.uri(),
                        DocumentedUser.uri(proxy.uri()),
                        commandTimeout.toMillis(),
                        guard.toMillis())
                .onLine(line -> read(name, line))
                .start();
        Member member = new Member(name, proxy, jvm);
        await().until(() -> entries.stream()
                .anyMatch(entry -> entry.what() == What.READY && entry.worker().equals(name)));
        members.add(member);
        return member;
    }

    private void read(String worker, String line) {
        Entry entry = Entry.of(worker, line);
        if (entry != null) {
            entries.add(entry);
        } else {
            System.err.println(worker + ": " + line);
        }
    }

    /** kill -9, and what it wrote until then. */
    public void kill(Member member) throws InterruptedException, IOException {
        members.remove(member);
        member.jvm().kill();
        member.jvm().awaitLastLine();
        member.proxy().close();
        entries.add(new Entry(member.name(), What.KILLED, "-", "-", 0, 0, 0, 0));
    }

    /** The workers there are. */
    public List<Member> members() {
        return members;
    }

    /** The server. */
    public EmbeddedRedis server() {
        return server;
    }

    /** Straight to the server. */
    public RedisCommands<String, String> redis() {
        return redis;
    }

    /** Straight to the server. */
    public DelayQueueClient queue() {
        return queue;
    }

    /** Fails if the server denied the workers anything since it was last started. */
    public void assertNothingDenied() {
        DocumentedUser.assertNothingDenied(redis);
    }

    /** The watch over the equation of the counters. */
    public Accounts accounts() {
        return accounts;
    }

    /** All workers consume the topic from now on. */
    public void consume(String topic, Duration lease, int concurrency, Duration handling) {
        accounts.watch(topic);
        members.forEach(member -> member.tell("consume", topic, lease.toMillis(), concurrency, handling.toMillis()));
    }

    /** All workers begin to schedule messages, each so many, at that rate, with random delays. */
    public void produce(String topic, int count, int perSecond, Duration longestDelay) {
        members.forEach(member -> member.tell("produce", topic, count, perSecond, longestDelay.toMillis()));
    }

    /** What was written down about a topic, and about processes that were killed. */
    public List<Entry> entries(String topic) {
        return entries.stream()
                .filter(entry -> entry.topic().equals(topic) || entry.topic().equals("-"))
                .toList();
    }

    /** How often something was written down about a topic. */
    public long count(String topic, What what) {
        return entries.stream()
                .filter(entry -> entry.what() == what && entry.topic().equals(topic))
                .count();
    }

    /** Waits until so many messages of the topic were handled. */
    public void awaitHandled(String topic, int count) {
        await().until(() -> count(topic, What.ENDED) >= count);
    }

    /** Waits until all is scheduled and handled, and tells whether it went as promised. */
    public Verdict awaitDone(String topic, int producers, int messages) {
        awaitDrained(topic, producers);
        Verdict[] verdict = new Verdict[1];
        // what the workers wrote is read a moment later
        await().untilAsserted(() -> {
            verdict[0] = Oracle.judge(entries(topic));
            verdict[0].requireSound();
        });
        assertThat(verdict[0].acknowledged()).as("acknowledged").isEqualTo(messages);
        assertThat(accounts.wrong()).as("numbers that don't add up").isEmpty();
        return verdict[0];
    }

    /** Waits until so many workers have scheduled all, and all is handled. */
    public void awaitDrained(String topic, int producers) {
        await().until(() -> count(topic, What.PRODUCED) == producers);
        await().ignoreExceptionsInstanceOf(DelayQueueException.class)
                .untilAsserted(() -> assertDrained(queue.stats(topic)));
    }

    private static void assertDrained(TopicStats stats) {
        assertThat(stats.totals().acked())
                .as("acked of %s", stats)
                .isEqualTo(stats.totals().accepted());
        assertThat(stats.unaccounted()).as("unaccounted of %s", stats).isZero();
    }

    public static ConditionFactory await() {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(40))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20));
    }

    @Override
    public void close() throws Exception {
        accounts.close();
        for (Member member : members) {
            member.jvm().close();
            member.proxy().close();
        }
        queue.close();
        client.shutdown(0, 1, TimeUnit.SECONDS);
        admin.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
