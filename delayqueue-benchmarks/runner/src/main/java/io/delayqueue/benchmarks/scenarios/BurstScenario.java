package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Pause;
import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Line;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Many messages due within one second, handled by several processes whose handlers wait 5 ms each. Measures too how late the messages of
 * another topic are meanwhile, which the same processes consume.
 */
public final class BurstScenario implements Scenario {

    /** Figure: messages of the burst a second, from its first handler to its last one. */
    public static final String RATE = "burstRate";

    /** Figure: its last handler, ms after its last due time. */
    public static final String LAST = "burstLastAfterMillis";

    private static final String HANDLER_MILLIS = "5";
    private static final long A_SECOND = 1_000;
    private static final int BESIDE_PER_SECOND = 100;

    @Override
    public String name() {
        return "burst";
    }

    private static List<Contestant> participants(Lab lab) {
        return lab.contestants(Contestants.CORE, Contestants.BASELINE, "beanstalkd");
    }

    private static int processes(Lab lab) {
        return lab.size().pick(4, 2);
    }

    private static int burst(Lab lab) {
        return lab.size().pick(200_000, 1_000);
    }

    @Override
    public Duration estimate(Lab lab) {
        return Duration.ofSeconds(participants(lab).size() * lab.size().pick(25L, 4L) * lab.allRounds());
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(participants(lab), (contestant, round) -> measure(lab, contestant, round));
    }

    private void measure(Lab lab, Contestant contestant, int round) {
        int burst = burst(lab);
        int beside = lab.size().pick(6 * BESIDE_PER_SECOND, BESIDE_PER_SECOND);
        Server server = lab.server(contestant);
        List<WorkerProcess> all = lab.workers(contestant, processes(lab) + 1);
        WorkerProcess producer = all.get(0);
        List<WorkerProcess> consumers = all.subList(1, all.size());
        lab.openOnEmpty(contestant, all);
        Consumption consumption = Consumption.of(0, burst + beside).topics(2).handler(HANDLER_MILLIS);
        consumers.forEach(consumption::startOn);

        long due = System.currentTimeMillis() + lab.size().pick(8_000, 1_000);
        Usage before = server.usage();
        Load.of(0, burst)
                .topic(consumption.topic(0))
                .batch(100)
                .dueAt(due)
                .spread(A_SECOND)
                .callOn(producer);
        SteadyRate rate = SteadyRate.of(BESIDE_PER_SECOND, burst, 0, beside).of(consumption.topic(1));
        // its first message is due as the burst begins
        Pause.millis(due - rate.delayMillis() - System.currentTimeMillis());
        Line calls = rate.callOn(producer);
        List<Line> answers =
                Drain.await(consumers, consumption.count(), lab.size().pick(60_000, 10_000));
        Usage used = server.usage().since(before);
        Lateness besides = rate.lateness(calls, consumers);
        long[] ofBurst = Drain.entered(consumers, 0, burst);
        all.forEach(worker -> worker.call("close"));

        Drain.Outcome outcome = Drain.Outcome.of(answers);
        double handled = outcome.handled();
        Map<String, Double> figures = Figures.perMessage(used, handled);
        figures.put(RATE, Drain.rate(ofBurst));
        Arrays.stream(ofBurst).max().ifPresent(last -> figures.put(LAST, last / 1e3 - due - A_SECOND));
        figures.put(Figures.CLIENT_CPU, outcome.cpuNanos() / 1e3 / handled);
        figures.put("handled", (double) outcome.count());
        figures.putAll(besides.figures());
        lab.record(name(), contestant, "burst", round, figures);
    }
}
