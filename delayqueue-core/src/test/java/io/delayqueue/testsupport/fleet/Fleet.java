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
import io.delayqueue.testsupport.fleet.Verdict.DuplicateCause;
import io.delayqueue.testsupport.proxy.FaultyProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/**
 * A server, workers that each reach it through a proxy of their own, and their log. A direct connection to the server serves
 * for faults and for checks of the counters.
 */
public final class Fleet implements AutoCloseable {

    /** Time that starting JVMs on two busy processors adds to any wait. */
    private static final Duration BUSY_MACHINE = Duration.ofSeconds(3);

    private final EmbeddedRedis server;
    private final Duration commandTimeout;
    private final Duration guard;
    private final RedisClient admin;
    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final DelayQueueClient queue;
    private final Accounts accounts;
    private final LeaseWatch leaseWatch;
    private final Map<String, Duration> leases = new ConcurrentHashMap<>();
    private final List<Strike> strikes = new CopyOnWriteArrayList<>();
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
        this.leaseWatch = new LeaseWatch(admin.connect().sync());
    }

    /** A worker, and its proxy to the server. */
    public record Member(String name, FaultyProxy proxy, ChildJvm jvm) {

        /** Sends it a command; see {@link Worker}. */
        public void tell(Object... words) {
            jvm.writeLine(String.join(
                    " ", List.of(words).stream().map(String::valueOf).toList()));
        }
    }

    /** Starts another worker, in a JVM of its own. Returns once it is ready, for which the server has to run. */
    public Member startWorker() {
        return startWorker(Map.of());
    }

    /** Starts another worker with these variables in its environment. */
    public Member startWorker(Map<String, String> variables) {
        String name = "w" + startedWorkers++;
        FaultyProxy proxy = new FaultyProxy(server.port());
        ChildJvm jvm = ChildJvm.running(Worker.class)
                .arguments(
                        name,
                        server.uri(),
                        DocumentedUser.uri(proxy.uri()),
                        commandTimeout.toMillis(),
                        guard.toMillis())
                .environment(variables)
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

    /** {@code kill -9}; returns when its last line is read. */
    public void kill(Member member) throws InterruptedException, IOException {
        members.remove(member);
        long begun = Strike.micros();
        member.jvm().kill();
        struck("killed", member, begun);
        member.jvm().awaitLastLine();
        member.proxy().close();
        entries.add(new Entry(member.name(), What.KILLED, "-", "-", 0, 0, 0, 0));
    }

    /** The running workers. */
    public List<Member> members() {
        return members;
    }

    /** The server. */
    public EmbeddedRedis server() {
        return server;
    }

    /** A connection of the default user that bypasses the proxies. */
    public RedisCommands<String, String> redis() {
        return redis;
    }

    /** A delay queue that bypasses the proxies. */
    public DelayQueueClient queue() {
        return queue;
    }

    /** Fails if the server denied the workers anything since its last start. */
    public void assertNothingDenied() {
        DocumentedUser.assertNothingDenied(redis);
    }

    /** The checks that the counters add up. */
    public Accounts accounts() {
        return accounts;
    }

    /** Makes all workers consume the topic from now on. */
    public void consume(String topic, Duration lease, int concurrency, Duration handling) {
        members.forEach(member -> consume(member, topic, lease, concurrency, handling));
    }

    /** Makes a worker consume the topic from now on. */
    public void consume(Member member, String topic, Duration lease, int concurrency, Duration handling) {
        watch(topic, lease);
        member.tell("consume", topic, lease.toMillis(), concurrency, handling.toMillis());
    }

    /** Observes counters and leases of a topic from now on. */
    public void watch(String topic, Duration lease) {
        leases.put(topic, lease);
        accounts.watch(topic);
        leaseWatch.watch(topic);
    }

    /** Notes a fault that began at this time, and is over now. */
    public void struck(String fault, @Nullable Member member, long begunMicros) {
        strikes.add(new Strike(fault, member == null ? null : member.name(), begunMicros, Strike.micros()));
    }

    /** Causes a fault and notes it; it is over when the harm returns. */
    public void strike(String fault, @Nullable Member member, Harm harm) throws Exception {
        long begun = Strike.micros();
        try {
            harm.cause();
        } finally {
            struck(fault, member, begun);
        }
    }

    /** A fault and its end. */
    public interface Harm {
        void cause() throws Exception;
    }

    /** Facts about a topic's run from others than the library. */
    public Evidence evidence(String topic) {
        List<Strike> all = new ArrayList<>(strikes);
        entries.stream()
                .filter(entry -> entry.what() == What.STALLED)
                .map(Strike::stall)
                .forEach(all::add);
        Duration lease = leases.getOrDefault(topic, Duration.ZERO);
        // a lost connection is noticed after a timeout, made anew within another, and what was lost is found by lease
        // or guard
        Duration recovery = guard.plus(lease).plus(commandTimeout.multipliedBy(2));
        return new Evidence(
                lease, recovery, guard.plus(BUSY_MACHINE), recovery.plus(BUSY_MACHINE), all, leaseWatch.leases(topic));
    }

    /** Judges all that the workers did so far; fails if the checks beside them did not see it. */
    public Verdict judge(String topic) {
        awaitOutput();
        accounts.requireAlive();
        leaseWatch.requireAlive(topic, count(topic, What.BEGUN) > 0);
        return Oracle.judge(entries(topic), evidence(topic));
    }

    /** Fails if a message was delivered again for another reason than that its worker repeated its schedule call. */
    public void requireOnceUnlessScheduledAgain(String topic, Verdict verdict) {
        assertThat(verdict.duplicates().keySet()).as(topic).isSubsetOf(DuplicateCause.SCHEDULE_REPEATED);
        assertThat((long) verdict.duplicateCount())
                .as("messages of %s delivered again, of those that a worker scheduled again", topic)
                .isLessThanOrEqualTo(count(topic, What.REPEATED));
    }

    /** Makes each worker schedule this number of messages at this rate, with random delays. */
    public void produce(String topic, int count, int perSecond, Duration longestDelay) {
        members.forEach(member -> member.tell("produce", topic, count, perSecond, longestDelay.toMillis()));
    }

    /** The log of a topic, and of killed processes. */
    public List<Entry> entries(String topic) {
        return entries.stream()
                .filter(entry -> entry.topic().equals(topic) || entry.topic().equals("-"))
                .toList();
    }

    /** Number of events of a topic. */
    public long count(String topic, What what) {
        return entries.stream()
                .filter(entry -> entry.what() == what && entry.topic().equals(topic))
                .count();
    }

    /** Waits until this number of messages of the topic are handled. */
    public void awaitHandled(String topic, int count) {
        await().until(() -> count(topic, What.ENDED) >= count);
    }

    /** Waits until the worker has this number of messages of the topic in its handlers. */
    public void awaitInFlight(Member worker, String topic, int count) {
        await().until(() -> count(worker, topic, What.BEGUN) - count(worker, topic, What.ENDED) >= count);
    }

    private long count(Member worker, String topic, What what) {
        return entries.stream()
                .filter(entry -> entry.what() == what
                        && entry.topic().equals(topic)
                        && entry.worker().equals(worker.name()))
                .count();
    }

    /** Waits until all messages are scheduled and handled, and checks the promises. */
    public Verdict awaitDone(String topic, int producers, int messages) {
        awaitDrained(topic, producers);
        Verdict verdict = judge(topic);
        verdict.requireSound();
        assertThat(verdict.acknowledged()).as("acknowledged").isEqualTo(messages);
        assertThat(accounts.wrong()).as("stats that don't add up").isEmpty();
        return verdict;
    }

    /** Waits until all that the workers wrote so far is read. */
    private void awaitOutput() {
        for (Member member : members) {
            long before = marks(member);
            member.tell(Worker.MARK);
            await().until(() -> marks(member) > before);
        }
    }

    private long marks(Member member) {
        return entries.stream()
                .filter(entry -> entry.what() == What.MARKED && entry.worker().equals(member.name()))
                .count();
    }

    /** Waits until this number of workers have scheduled all their messages, and all are handled. */
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
        leaseWatch.close();
        for (Member member : members) {
            member.jvm().close();
            member.proxy().close();
        }
        queue.close();
        client.shutdown(0, 1, TimeUnit.SECONDS);
        admin.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
