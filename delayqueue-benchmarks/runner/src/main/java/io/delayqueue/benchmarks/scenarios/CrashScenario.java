package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.worker.Line;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A consumer is killed with 100 messages in flight; another consumer should get them. The lease is two seconds where it can be
 * chosen.
 */
public final class CrashScenario implements Scenario {

    private static final int IN_FLIGHT = 100;
    private static final long LEASE_MILLIS = 2_000;
    private static final long PATIENCE_MILLIS = 6_000;

    @Override
    public String name() {
        return "crash";
    }

    @Override
    public Duration estimate(Lab lab) {
        return Duration.ofSeconds(lab.contestants().size() * lab.size().pick(6L, 1L) * lab.allRounds());
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(lab.contestants(), (contestant, round) -> measure(lab, contestant, round));
    }

    private void measure(Lab lab, Contestant contestant, int round) {
        List<WorkerProcess> workers = lab.workers(contestant, 2);
        WorkerProcess survivor = workers.get(0);
        WorkerProcess victim = workers.get(1);
        lab.server(contestant).flush();
        workers.forEach(worker -> lab.open(contestant, worker, LEASE_MILLIS, 1));
        Load.of(0, IN_FLIGHT).batch(IN_FLIGHT).delay(0).callOn(survivor);
        Consumption consumption = Consumption.of(0, IN_FLIGHT).concurrency(IN_FLIGHT);
        consumption.handler("hold").startOn(victim);
        Line claimed = awaitClaimed(victim, lab.size().pick(1_000L, 200L));
        consumption.startOn(survivor);
        long killed = System.currentTimeMillis();
        lab.kill(contestant, List.of(victim));

        Line redelivered = survivor.call("await", "millis", lab.size().pick(PATIENCE_MILLIS, 500L));
        survivor.call("close");
        Map<String, Double> figures = new HashMap<>();
        figures.put("entered", (double) claimed.number("count"));
        figures.put("redelivered", (double) redelivered.number("count"));
        figures.put("lost", (double) IN_FLIGHT - redelivered.number("count"));
        if (redelivered.number("count") > 0) {
            figures.put("lastAfterMillis", redelivered.number("last") / 1e3 - killed);
        }
        lab.record(name(), contestant, "kill -9", round, figures);
    }

    /** Waits for the first handler call and as long again: a peer with one thread calls no second one, but claims more by then. */
    private static Line awaitClaimed(WorkerProcess victim, long millis) {
        Line claimed = victim.call("await", "millis", millis);
        for (int i = 0; i < 10 && claimed.number("count") == 0; i++) {
            claimed = victim.call("await", "millis", millis);
        }
        return victim.call("await", "millis", millis);
    }
}
