package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.fleet.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/** Two processes that schedule and consume, and the checks of the promises after a fault. */
abstract class FaultsUnderLoad {

    static final Duration LEASE = Duration.ofMillis(1000);
    /** For faults that cost no lease: longer than the stalls of a busy machine, too. */
    static final Duration LONG_LEASE = Duration.ofSeconds(10);

    /** For faults that cost leases: with this load, nearly all ten handlers of a worker have a message in flight. */
    static final Duration BUSY = Duration.ofMillis(80);

    private static final int SEVERAL = 5;

    private static final int PER_SECOND = 200;
    private static final int MOST_LOADS = 3;
    static final int WORKERS = 2;

    private static EmbeddedRedis server;
    static Fleet fleet;

    final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    final List<ScheduledFuture<?>> repeated = new ArrayList<>();
    String topic;

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

    int load(int seconds) {
        return load(seconds, LEASE);
    }

    /**
     * Makes both workers schedule for this time, and consume with this lease. Returns the number of messages. The
     * fault begins with the load: none is noted that would have met no message.
     */
    int load(int seconds, Duration lease) {
        return load(seconds, lease, Duration.ofMillis(10));
    }

    int load(int seconds, Duration lease, Duration handling) {
        String name = topic;
        int round = 0;
        do {
            // a load that has passed while the machine stalled is followed by another one
            topic = name + round++;
            fleet.consume(topic, lease, 10, handling);
            fleet.produce(topic, PER_SECOND * seconds, PER_SECOND, Duration.ofMillis(500));
            fleet.awaitHandled(topic, 10);
        } while (fleet.count(topic, What.PRODUCED) > 0 && round < MOST_LOADS);
        assertThat(fleet.count(topic, What.PRODUCED))
                .as("producers that have ended")
                .isZero();
        return WORKERS * PER_SECOND * seconds;
    }

    Verdict done(int messages) {
        return fleet.awaitDone(topic, WORKERS, messages);
    }

    ScheduledFuture<?> every(int millis, Runnable harm) {
        ScheduledFuture<?> one = timer.scheduleAtFixedRate(harm, 0, millis, TimeUnit.MILLISECONDS);
        repeated.add(one);
        return one;
    }

    /** Returns when the worker has several messages in flight, for a fault that costs their leases. */
    void awaitInFlight(Fleet.Member worker) {
        fleet.awaitInFlight(worker, topic, SEVERAL);
    }

    /**
     * Strikes a worker under load so that leases of its messages end: Redis gives them to another attempt. A machine that stalls may let
     * the fault come when the messages are handled: then another load and strike follow.
     */
    void strikeInFlight(Strikes strikes) throws Exception {
        Fleet.Member member = fleet.members().get(0);
        for (int round = 0; round == 0 || leasesEnded() == 0 && round < MOST_LOADS; round++) {
            int messages = load(3, LEASE, BUSY);
            awaitInFlight(member);
            strikes.strike(member);
            done(messages);
        }
        assertThat(leasesEnded()).as("leases that ended").isPositive();
    }

    private long leasesEnded() {
        return fleet.queue().stats(topic).totals().retried();
    }

    /** A fault for longer than a lease. */
    interface Strikes {
        void strike(Fleet.Member member) throws Exception;
    }
}
