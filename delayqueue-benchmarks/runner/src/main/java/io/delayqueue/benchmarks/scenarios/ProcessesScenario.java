package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.ClientCommands;
import io.delayqueue.benchmarks.servers.Pause;
import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Line;
import io.delayqueue.benchmarks.worker.Times;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Ten processes that wait for a trickle of messages on one topic: what each message costs, how late it is, and if processes die. */
public final class ProcessesScenario implements Scenario {

    /** The setting of this number of messages a second. */
    public static String setting(int perSecond) {
        return perSecond + " msg/s";
    }

    /** The setting of a message that is due when all processes but one have just been killed. */
    public static final String KILLED = "all but one killed";

    /** The second of two messages, due half a second after the first: where the next one is due within 0.9 s, consumers rely on one. */
    private static final SteadyRate TWO = SteadyRate.of(2, 0, 1, 1);

    private static final int PATIENCE_MILLIS = 10_000;
    private static final int CONCURRENCY = 10;
    private static final int MILLIS_BEFORE_DUE = 400;

    /** Twice the time before its due time at which a message may be claimed. */
    private static final int MILLIS_OF_EARLY_CLAIMS = 50;

    @Override
    public String name() {
        return "processes";
    }

    private static int processes(Lab lab) {
        return lab.size().pick(10, 2);
    }

    private static List<Integer> rates(Lab lab) {
        return lab.size().pick(List.of(10, 100), List.of(100));
    }

    /** At least a hundred messages, so that they have a 99th percentile. */
    private static int count(Lab lab, int rate) {
        return lab.size().pick(Math.max(100, 5 * rate), 20);
    }

    /** The peers on Redis, whose commands can be counted; without Spring applications, of which a small machine can't run ten. */
    private static List<Contestant> participants(Lab lab) {
        return lab.contestants(
                Contestants.CORE, Contestants.BASELINE, Contestants.LIMIT, "loop", "redisson", Contestants.BULLMQ);
    }

    @Override
    public Duration estimate(Lab lab) {
        double rates = rates(lab).stream()
                .mapToDouble(
                        rate -> count(lab, rate) / (double) rate + lab.size().pick(6, 1))
                .sum();
        double each = participants(lab).size() * rates + lab.size().pick(15, 3);
        return Duration.ofSeconds((long) (each * lab.allRounds()));
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(participants(lab), (contestant, round) -> {
            for (int rate : rates(lab)) {
                trickle(lab, contestant, rate, round);
            }
        });
        lab.forEachRound(
                lab.contestants(Contestants.CORE, Contestants.BASELINE),
                (contestant, round) -> killed(lab, contestant, round));
    }

    private void trickle(Lab lab, Contestant contestant, int perSecond, int round) {
        int count = count(lab, perSecond);
        int delay = lab.size().pick(1_000, 300);
        SteadyRate first =
                SteadyRate.of(perSecond, 0, 0, lab.size().pick(20, 5)).delay(delay);
        SteadyRate rate = SteadyRate.of(perSecond, first.all(), 0, count).delay(delay);
        List<WorkerProcess> all = lab.workers(contestant, processes(lab) + 1);
        WorkerProcess producer = all.get(0);
        List<WorkerProcess> consumers = all.subList(1, all.size());
        lab.openOnEmpty(contestant, all);
        Consumption consumption = Consumption.of(0, first.all() + count).concurrency(CONCURRENCY);
        consumers.forEach(consumption::startOn);
        first.callOn(producer); // so that connections and scripts are there
        Drain.await(consumers, first.all(), delay + 2_000);

        Usage before = lab.server(contestant).usage();
        long emptyBefore = emptyClaims(consumers);
        Map<String, Double> figures = new HashMap<>();
        try (ClientCommands commands = new ClientCommands(lab.servers().redis())) {
            Line calls = rate.callOn(producer);
            Drain.await(consumers, consumption.count(), delay + 2_000);
            figures.put("clientCommands", commands.count() / (double) count);
            figures.putAll(Figures.perMessage(lab.server(contestant).usage().since(before), count));
            figures.putAll(rate.lateness(calls, consumers).figures());
        }
        if (contestant.module().endsWith("peers/delayqueue")) {
            figures.put("emptyClaims", (emptyClaims(consumers) - emptyBefore) / (double) count);
        }
        all.forEach(worker -> worker.call("close"));
        lab.record(name(), contestant, setting(perSecond), round, figures);
    }

    private static long emptyClaims(List<WorkerProcess> consumers) {
        return consumers.stream()
                .map(worker -> worker.call("counters").values().getOrDefault("counter.emptyClaims", "0"))
                .mapToLong(Long::parseLong)
                .sum();
    }

    /** The survivor is another one in each round, so that the consumer on which the others rely is killed in nearly all of them. */
    private void killed(Lab lab, Contestant contestant, int round) {
        List<WorkerProcess> all = lab.workers(contestant, processes(lab) + 1);
        WorkerProcess producer = all.get(0);
        List<WorkerProcess> victims = new ArrayList<>(all.subList(1, all.size()));
        lab.openOnEmpty(contestant, all);
        Consumption consumption = Consumption.of(0, TWO.all()).concurrency(CONCURRENCY);
        victims.forEach(consumption::startOn);
        Pause.millis(lab.size().pick(2_000, 200));

        Line calls = TWO.callOn(producer);
        long due = Times.decode(calls.text("called"))[1] / 1_000 + TWO.delayMillis();
        Pause.millis(due - MILLIS_BEFORE_DUE - System.currentTimeMillis());
        long handled = Drain.Outcome.of(Drain.await(victims, 1, 0)).count();
        if (handled != 1) {
            throw new IllegalStateException(
                    handled + " of two messages were handled before the kill, and not the first one");
        }
        WorkerProcess survivor = victims.remove(round % victims.size());
        lab.kill(contestant, victims);
        if (System.currentTimeMillis() > due - MILLIS_OF_EARLY_CLAIMS) {
            throw new IllegalStateException("a process that was killed last may have claimed the message");
        }
        long end = due + PATIENCE_MILLIS;
        while (Drain.entered(List.of(survivor), 1, 2).length == 0 && System.currentTimeMillis() < end) {
            Pause.millis(50);
        }
        Map<String, Double> figures = TWO.lateness(calls, List.of(survivor)).figures();
        List.of(producer, survivor).forEach(worker -> worker.call("close"));
        lab.record(name(), contestant, KILLED, round, figures);
    }
}
