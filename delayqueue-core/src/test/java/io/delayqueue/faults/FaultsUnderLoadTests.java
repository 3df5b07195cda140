package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.DelayQueueException;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisFullException;
import io.delayqueue.testsupport.PlayedTime;
import io.delayqueue.testsupport.TestQueue;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Fleet;
import io.lettuce.core.KillArgs.Builder;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Two processes schedule and consume during a fault of Redis or of a process. No acknowledged message is lost, none comes early or
 * stays late, each duplicate has a known cause, and the counters add up at every moment. Each test shows that its fault struck.
 */
@DisabledOnOs(OS.WINDOWS)
@Tag("slow")
class FaultsUnderLoadTests extends FaultsUnderLoad {

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

        fleet.requireOnceUnlessScheduledAgain(topic, done(messages));
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
            PlayedTime.pass(Duration.ofSeconds(3));
            // each time a command connection and a subscription of each worker, if it was connected by then
            TestQueue.await().until(() -> killed.get() > 2 * WORKERS * 5);
            killing.cancel(false);
        });

        done(messages);
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

        fleet.requireOnceUnlessScheduledAgain(topic, done(messages));
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
    void workerIsFrozenForTwoLeases() throws Exception {
        Fleet.Member frozen = fleet.members().get(0);
        strikeInFlight(member -> fleet.strike("frozen", member, () -> {
            member.jvm().pause();
            PlayedTime.pass(LEASE.multipliedBy(2));
            member.jvm().resume();
        }));

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
            // on a busy machine, a call may time out before
            Fleet.await()
                    .untilAsserted(() -> assertThatThrownBy(() -> fleet.queue().schedule(refused))
                            .isInstanceOf(RedisFullException.class));
            Fleet.await().ignoreExceptionsInstanceOf(DelayQueueException.class).until(() -> {
                var stats = fleet.queue().stats(topic);
                return stats.totals().accepted() > 0 && stats.pending().total() + stats.inFlight() == 0;
            });
            fleet.redis().configSet("maxmemory", "0");
        });
        fleet.assertNothingDenied();

        fleet.requireOnceUnlessScheduledAgain(topic, done(messages));
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
}
