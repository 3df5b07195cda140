package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisFullException;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.ChildJvm;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.fleet.Verdict;
import io.delayqueue.testsupport.proxy.FaultyProxy;
import io.delayqueue.testsupport.proxy.Request;
import io.delayqueue.testsupport.proxy.Rule;
import io.lettuce.core.KillArgs.Builder;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Two processes schedule and consume during a fault. No acknowledged message is lost, none comes early, each duplicate has
 * a known cause, and the counters add up at every moment.
 */
@DisabledOnOs(OS.WINDOWS)
class FaultsUnderLoadTests {

    private static final Duration LEASE = Duration.ofMillis(1000);
    private static final int PER_SECOND = 200;
    private static final int WORKERS = 2;

    private static EmbeddedRedis server;
    private static Fleet fleet;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
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

    /** Makes both workers schedule for this time, and consume with leases of a second. Returns the number of messages. */
    private int load(int seconds) {
        fleet.consume(topic, LEASE, 10, Duration.ofMillis(10));
        fleet.produce(topic, PER_SECOND * seconds, PER_SECOND, Duration.ofMillis(500));
        fleet.awaitHandled(topic, 10);
        return WORKERS * PER_SECOND * seconds;
    }

    private Verdict done(int messages) {
        return fleet.awaitDone(topic, WORKERS, messages);
    }

    private ScheduledFuture<?> every(int millis, Runnable harm) {
        return timer.scheduleAtFixedRate(harm, 0, millis, TimeUnit.MILLISECONDS);
    }

    @Test
    void redisIsKilledAndRestartsFromItsAppendOnlyFile() {
        int messages = load(3);
        for (int crash = 1; crash <= 2; crash++) {
            fleet.awaitHandled(topic, crash * messages / 4);
            server.kill();
            server.restart();
        }

        done(messages);
    }

    @Test
    void scriptsAreFlushedEveryTenMilliseconds() {
        int messages = load(2);
        every(10, () -> fleet.redis().scriptFlush());

        assertThat(done(messages).duplicates()).isEmpty();
    }

    @Test
    void allConnectionsAreKilledFiveTimesASecond() throws Exception {
        int messages = load(3);
        ScheduledFuture<?> killing = every(200, () -> {
            fleet.redis().clientKill(Builder.typePubsub());
            fleet.redis().clientKill(Builder.typeNormal().skipme());
        });
        waitFor(Duration.ofSeconds(3));
        killing.cancel(false);

        done(messages);
    }

    @Test
    void serverPausesForLessThanALease() {
        int messages = load(2);
        fleet.redis().clientPause(400);

        assertThat(done(messages).duplicates()).isEmpty();
    }

    @Test
    void serverPausesForLongerThanALease() {
        int messages = load(2);
        fleet.redis().clientPause(2 * LEASE.toMillis());

        done(messages);
    }

    @Test
    void foreignScriptBlocksTheServer() {
        fleet.redis().configSet("lua-time-limit", "100");
        int messages = load(2);
        fleet.redis()
                .eval(
                        "local t = redis.call('TIME'); local e = t[1] * 1000 + t[2] / 1000 + ARGV[1] repeat t ="
                                + " redis.call('TIME') until t[1] * 1000 + t[2] / 1000 > e",
                        ScriptOutputType.STATUS,
                        new String[0],
                        "1500");

        done(messages);
    }

    @Test
    void connectionIsSilentForThreeLeasesAndOtherWorkersTakeOver() throws Exception {
        int messages = load(3);
        FaultyProxy proxy = fleet.members().get(0).proxy();
        proxy.blackhole();
        waitFor(LEASE.multipliedBy(3));
        proxy.forward();

        done(messages);
    }

    @Test
    void trafficIsHeldForThreeLeasesAndThenDelivered() throws Exception {
        int messages = load(3);
        FaultyProxy proxy = fleet.members().get(0).proxy();
        proxy.hold();
        waitFor(LEASE.multipliedBy(3));
        proxy.forward();

        done(messages);
    }

    @Test
    void repliesAreLostAndConnectionsReset() {
        int messages = load(2);
        for (String script : new String[] {"schedule", "claim", "ack", "schedule", "claim", "ack"}) {
            Rule lost = fleet.members().get(0).proxy().swallowReplies(3, Request.script(script));
            Fleet.await().until(() -> lost.count() == 3 || fleet.count(topic, What.PRODUCED) > 0);
        }

        done(messages);
    }

    @Test
    void connectionsAreResetAndCutInTheMiddleOfAReplyOrRequest() throws Exception {
        int messages = load(2);
        FaultyProxy proxy = fleet.members().get(0).proxy();
        ScheduledFuture<?> harm = every(300, () -> {
            proxy.reset();
            proxy.cutAfter(FaultyProxy.Direction.REPLIES, 333);
            proxy.cutAfter(FaultyProxy.Direction.REQUESTS, 777);
        });
        waitFor(Duration.ofSeconds(2));
        harm.cancel(false);
        proxy.forward();

        done(messages);
    }

    @Test
    void networkIsSlow() throws Exception {
        int messages = load(2);
        FaultyProxy proxy = fleet.members().get(0).proxy();
        proxy.delay(FaultyProxy.Direction.REPLIES, Duration.ofMillis(100));
        waitFor(Duration.ofSeconds(2));
        proxy.forward();

        done(messages);
    }

    @Test
    void workerIsFrozenForTwoLeases() throws Exception {
        int messages = load(3);
        ChildJvm worker = fleet.members().get(0).jvm();
        worker.pause();
        waitFor(LEASE.multipliedBy(2));
        worker.resume();

        done(messages);
    }

    @Test
    void redisIsFullAndDrains() {
        int messages = load(2);
        fleet.redis().configSet("maxmemory", "1");
        OutgoingMessage refused = OutgoingMessage.to(topic).payload(new byte[1]).build();
        assertThatThrownBy(() -> fleet.queue().schedule(refused)).isInstanceOf(RedisFullException.class);
        Fleet.await().until(() -> {
            var stats = fleet.queue().stats(topic);
            return stats.totals().accepted() > 0 && stats.pending().total() + stats.inFlight() == 0;
        });
        fleet.redis().configSet("maxmemory", "0");
        fleet.assertNothingDenied();

        assertThat(done(messages).duplicates()).isEmpty();
    }

    private void waitFor(Duration duration) throws Exception {
        timer.schedule(() -> {}, duration.toMillis(), TimeUnit.MILLISECONDS).get();
    }
}
