package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisFullException;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.fleet.Strike;
import io.delayqueue.testsupport.fleet.Verdict;
import io.delayqueue.testsupport.proxy.FaultyProxy;
import io.delayqueue.testsupport.proxy.Request;
import io.delayqueue.testsupport.proxy.Rule;
import io.lettuce.core.KillArgs.Builder;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Two processes schedule and consume during a fault. No acknowledged message is lost, none comes early or stays late, each
 * duplicate has a known cause, and the counters add up at every moment. Each test shows that its fault struck.
 */
@DisabledOnOs(OS.WINDOWS)
class FaultsUnderLoadTests {

    private static final Duration LEASE = Duration.ofMillis(1000);
    /** For faults that cost no lease: longer than the stalls of a busy machine, too. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(10);

    /** For faults that cost leases: with this load, nearly all ten handlers of a worker have a message in hand. */
    private static final Duration BUSY = Duration.ofMillis(80);

    private static final int PER_SECOND = 200;
    private static final int WORKERS = 2;

    private static EmbeddedRedis server;
    private static Fleet fleet;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ScheduledFuture<?>> repeated = new ArrayList<>();
    private String topic;

    @BeforeAll
    static void start() {
        server =
                DocumentedUser.behindProxy(EmbeddedRedis.builder().appendOnly()).start();
        fleet = new Fleet(server, Duration.ofMillis(500), Duration.ofMillis(500));
        for (int i = 0; i < WORKERS; i++) {
            fleet.startWorker();
        }
    }

    @AfterAll
    static void close() throws Exception {
        fleet.close();
        server.close();
    }

    @BeforeEach
    void nameTopic(TestInfo info) {
        topic = info.getTestMethod().orElseThrow().getName();
    }

    @AfterEach
    void endFaults() {
        timer.shutdownNow();
        fleet.members().forEach(member -> member.proxy().forward());
        fleet.redis().configSet("maxmemory", "0");
        fleet.assertNothingDenied();
    }

    private int load(int seconds) {
        return load(seconds, LEASE);
    }

    /**
     * Makes both workers schedule for this time, and consume with this lease. Returns the number of messages. The
     * fault begins with the load: none is noted that would have met no message.
     */
    private int load(int seconds, Duration lease) {
        return load(seconds, lease, Duration.ofMillis(10));
    }

    private int load(int seconds, Duration lease, Duration handling) {
        fleet.consume(topic, lease, 10, handling);
        fleet.produce(topic, PER_SECOND * seconds, PER_SECOND, Duration.ofMillis(500));
        fleet.awaitHandled(topic, 10);
        assertThat(fleet.count(topic, What.PRODUCED))
                .as("producers that have ended")
                .isZero();
        return WORKERS * PER_SECOND * seconds;
    }

    private Verdict done(int messages) {
        return fleet.awaitDone(topic, WORKERS, messages);
    }

    private ScheduledFuture<?> every(int millis, Runnable harm) {
        ScheduledFuture<?> one = timer.scheduleAtFixedRate(harm, 0, millis, TimeUnit.MILLISECONDS);
        repeated.add(one);
        return one;
    }

    @Test
    void redisIsKilledAndRestartsFromItsAppendOnlyFile() throws Exception {
        int messages = load(3);
        for (int crash = 1; crash <= 2; crash++) {
            fleet.awaitHandled(topic, crash * messages / 4);
            String before = runId();
            fleet.strike("killed", null, () -> {
                fleet.server().kill();
                fleet.server().restart();
            });
            assertThat(runId()).isNotEqualTo(before);
        }

        done(messages);
    }

    private String runId() {
        return info("server", "run_id");
    }

    @Test
    void scriptsAreFlushedEveryTenMilliseconds() {
        int messages = load(2, LONG_LEASE);
        fleet.redis().configResetstat();
        every(10, () -> fleet.redis().scriptFlush());

        assertThat(done(messages).duplicates()).isEmpty();
        assertThat(errors("NOSCRIPT")).isGreaterThan(10);
    }

    @Test
    void allConnectionsAreKilledFiveTimesASecond() throws Exception {
        int messages = load(3);
        AtomicLong killed = new AtomicLong();
        fleet.strike("connections killed", null, () -> {
            ScheduledFuture<?> killing = every(200, () -> {
                int ofWorkers = connectionsOfWorkers();
                fleet.redis().clientKill(Builder.typePubsub());
                fleet.redis().clientKill(Builder.typeNormal().skipme());
                killed.addAndGet(ofWorkers);
            });
            waitFor(Duration.ofSeconds(3));
            killing.cancel(false);
        });

        done(messages);
        // each time a command connection and a subscription of each worker, if it was connected by then
        assertThat(killed).hasValueGreaterThan(2 * WORKERS * 5);
    }

    /** Through the proxies go those of the library alone. */
    private static int connectionsOfWorkers() {
        return fleet.members().stream()
                .mapToInt(member -> member.proxy().connections())
                .sum();
    }

    @Test
    void serverPausesForLessThanALease() throws Exception {
        int messages = load(2, LONG_LEASE);
        pauseServer(Duration.ofMillis(400));

        assertThat(done(messages).duplicates()).isEmpty();
    }

    @Test
    void serverPausesForLongerThanALease() throws Exception {
        int messages = load(2);
        pauseServer(LEASE.multipliedBy(2));

        done(messages);
    }

    /** The connection of the test has to wait, too: so long the server did answer nobody. */
    private void pauseServer(Duration pause) throws Exception {
        fleet.strike("paused", null, () -> {
            long begun = System.nanoTime();
            fleet.redis().clientPause(pause.toMillis());
            fleet.redis().set("nobody", "reads this");
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isGreaterThan(pause.multipliedBy(9).dividedBy(10));
        });
        fleet.redis().del("nobody");
    }

    @Test
    void foreignScriptBlocksTheServer() throws Exception {
        fleet.redis().configSet("lua-time-limit", "100");
        int messages = load(2);
        fleet.redis().configResetstat();
        fleet.strike(
                "foreign script",
                null,
                () -> fleet.redis()
                        .eval(
                                "local t = redis.call('TIME'); local e = t[1] * 1000 + t[2] / 1000 + ARGV[1] repeat t ="
                                        + " redis.call('TIME') until t[1] * 1000 + t[2] / 1000 > e",
                                ScriptOutputType.STATUS,
                                new String[0],
                                "1500"));

        assertThat(errors("BUSY")).isPositive();
        done(messages);
    }

    @Test
    void connectionIsSilentForThreeLeasesAndOtherWorkersTakeOver() throws Exception {
        int messages = load(3, LEASE, BUSY);
        Fleet.Member silent = fleet.members().get(0);
        long begun = Strike.micros();
        harm("silent", silent, FaultyProxy::blackhole, LEASE.multipliedBy(3));
        long ended = Strike.micros();

        done(messages);
        assertLeasesEnded();
        assertThat(fleet.entries(topic))
                .as("messages taken over while the other worker was silent")
                .anyMatch(entry -> entry.what() == What.BEGUN
                        && entry.number() > 1
                        && !entry.worker().equals(silent.name())
                        && entry.notBefore() >= begun
                        && entry.notAfter() <= ended);
    }

    /** Redis gave messages to another attempt when their leases were over. */
    private void assertLeasesEnded() {
        assertThat(fleet.queue().stats(topic).totals().retried())
                .as("leases that ended")
                .isPositive();
    }

    @Test
    void trafficIsHeldForThreeLeasesAndThenDelivered() throws Exception {
        int messages = load(3, LEASE, BUSY);
        Fleet.Member held = fleet.members().get(0);
        harm("held", held, FaultyProxy::hold, LEASE.multipliedBy(3));

        done(messages);
        assertLeasesEnded();
    }

    @Test
    void repliesAreLostAndConnectionsReset() throws Exception {
        int messages = load(2);
        Fleet.Member hit = fleet.members().get(0);
        Map<String, Integer> lost = new HashMap<>();
        fleet.strike("replies lost", hit, () -> {
            for (String script : new String[] {"schedule", "claim", "ack", "schedule", "claim", "ack"}) {
                Rule rule = hit.proxy().swallowReplies(3, Request.script(script));
                Fleet.await().until(() -> rule.count() == 3 || fleet.count(topic, What.PRODUCED) > 0);
                lost.merge(script, rule.count(), Integer::sum);
            }
        });

        done(messages);
        assertThat(lost)
                .allSatisfy((script, count) -> assertThat(count).as(script).isPositive());
    }

    @Test
    void connectionsAreResetAndCutInTheMiddleOfAReplyOrRequest() throws Exception {
        int messages = load(2);
        Fleet.Member hit = fleet.members().get(0);
        AtomicInteger resets = new AtomicInteger();
        long cutReplies = hit.proxy().hits(FaultyProxy.Direction.REPLIES);
        long cutRequests = hit.proxy().hits(FaultyProxy.Direction.REQUESTS);
        harm(
                "reset and cut",
                hit,
                proxy -> every(300, () -> {
                    resets.addAndGet(proxy.connections());
                    proxy.reset();
                    proxy.cutAfter(FaultyProxy.Direction.REPLIES, 333);
                    proxy.cutAfter(FaultyProxy.Direction.REQUESTS, 777);
                }),
                Duration.ofSeconds(2));

        done(messages);
        assertThat(resets).as("connections reset").hasPositiveValue();
        assertThat(hit.proxy().hits(FaultyProxy.Direction.REPLIES))
                .as("cut replies")
                .isGreaterThan(cutReplies);
        assertThat(hit.proxy().hits(FaultyProxy.Direction.REQUESTS))
                .as("cut requests")
                .isGreaterThan(cutRequests);
    }

    @Test
    void networkIsSlow() throws Exception {
        int messages = load(2);
        harm(
                "slow",
                fleet.members().get(0),
                proxy -> proxy.delay(FaultyProxy.Direction.REPLIES, Duration.ofMillis(100)),
                Duration.ofSeconds(2));

        done(messages);
    }

    @Test
    void networkHasLatencyWithJitterAndResets() throws Exception {
        int messages = load(3);
        AtomicInteger resets = new AtomicInteger();
        harm(
                "jitter and resets",
                fleet.members().get(0),
                proxy -> {
                    proxy.delay(FaultyProxy.Direction.REQUESTS, Duration.ofMillis(5), Duration.ofMillis(40));
                    proxy.delay(FaultyProxy.Direction.REPLIES, Duration.ofMillis(5), Duration.ofMillis(40));
                    every(500, () -> {
                        resets.addAndGet(proxy.connections());
                        proxy.reset();
                    });
                },
                Duration.ofSeconds(3));

        done(messages);
        assertThat(resets).as("connections reset").hasValueGreaterThan(3);
    }

    /** Harms a worker's connections for a while, in which they have to meet the fault. */
    private void harm(String fault, Fleet.Member member, Consumer<FaultyProxy> harm, Duration time) throws Exception {
        long before = member.proxy().hits();
        fleet.strike(fault, member, () -> {
            harm.accept(member.proxy());
            waitFor(time);
            repeated.forEach(one -> one.cancel(false));
            member.proxy().forward();
        });
        assertThat(member.proxy().hits() - before).as("times that it struck").isGreaterThan(1);
    }

    @Test
    void workerIsFrozenForTwoLeases() throws Exception {
        int messages = load(3, LEASE, BUSY);
        Fleet.Member frozen = fleet.members().get(0);
        fleet.strike("frozen", frozen, () -> {
            frozen.jvm().pause();
            waitFor(LEASE.multipliedBy(2));
            frozen.jvm().resume();
        });

        done(messages);
        assertLeasesEnded();
        assertThat(fleet.entries("-"))
                .filteredOn(
                        entry -> entry.what() == What.STALLED && entry.worker().equals(frozen.name()))
                .anyMatch(entry -> entry.notAfter() - entry.notBefore() > LEASE.toNanos() / 1000);
    }

    @Test
    void redisIsFullAndDrains() throws Exception {
        int messages = load(2, LONG_LEASE);
        fleet.strike("full", null, () -> {
            fleet.redis().configSet("maxmemory", "1");
            OutgoingMessage refused =
                    OutgoingMessage.to(topic).payload(new byte[1]).build();
            assertThatThrownBy(() -> fleet.queue().schedule(refused)).isInstanceOf(RedisFullException.class);
            Fleet.await().until(() -> {
                var stats = fleet.queue().stats(topic);
                return stats.totals().accepted() > 0 && stats.pending().total() + stats.inFlight() == 0;
            });
            fleet.redis().configSet("maxmemory", "0");
        });
        fleet.assertNothingDenied();

        assertThat(done(messages).duplicates()).isEmpty();
    }

    /** Number of replies with this error since the statistics were reset. */
    private long errors(String error) {
        String value = info("errorstats", "errorstat_" + error);
        return value.isEmpty() ? 0 : Long.parseLong(value.substring("count=".length()));
    }

    private String info(String section, String name) {
        return fleet.redis()
                .info(section)
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    private void waitFor(Duration duration) throws Exception {
        timer.schedule(() -> {}, duration.toMillis(), TimeUnit.MILLISECONDS).get();
    }
}
