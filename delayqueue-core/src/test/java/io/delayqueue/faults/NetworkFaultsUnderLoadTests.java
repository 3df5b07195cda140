package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.PlayedTime;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.fleet.Strike;
import io.delayqueue.testsupport.proxy.FaultyProxy;
import io.delayqueue.testsupport.proxy.Request;
import io.delayqueue.testsupport.proxy.Rule;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** As {@link FaultsUnderLoadTests}, for faults between one of the processes and Redis. */
@Tag("slow")
@DisabledOnOs(OS.WINDOWS)
class NetworkFaultsUnderLoadTests extends FaultsUnderLoad {

    @Test
    void connectionIsSilentForThreeLeasesAndOtherWorkersTakeOver() throws Exception {
        Fleet.Member silent = fleet.members().get(0);
        AtomicLong begun = new AtomicLong();
        AtomicLong ended = new AtomicLong();
        strikeInFlight(member -> {
            begun.set(Strike.micros());
            harm("silent", member, FaultyProxy::blackhole, LEASE.multipliedBy(3));
            ended.set(Strike.micros());
        });

        assertThat(fleet.entries(topic))
                .as("messages taken over while the other worker was silent")
                .anyMatch(entry -> entry.what() == What.BEGUN
                        && entry.number() > 1
                        && !entry.worker().equals(silent.name())
                        && entry.notBefore() >= begun.get()
                        && entry.notAfter() <= ended.get());
    }

    @Test
    void trafficIsHeldForThreeLeasesAndThenDelivered() throws Exception {
        strikeInFlight(member -> harm("held", member, FaultyProxy::hold, LEASE.multipliedBy(3)));
    }

    @Test
    void repliesAreLostAndConnectionsReset() throws Exception {
        // long enough for each of the scripts to lose replies, one after the other
        int messages = load(4);
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
            PlayedTime.pass(time);
            repeated.forEach(one -> one.cancel(false));
            member.proxy().forward();
        });
        assertThat(member.proxy().hits() - before).as("times that it struck").isGreaterThan(1);
    }
}
