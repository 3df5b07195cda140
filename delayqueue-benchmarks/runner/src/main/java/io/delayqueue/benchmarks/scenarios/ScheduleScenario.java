package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Line;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The speed and cost of scheduling: by one thread, by many, and in batches. */
public final class ScheduleScenario implements Scenario {

    /** Threads × messages a call. */
    private static final List<String> MODES = List.of("1x1", "8x1", "64x1", "1x100", "1x1000");

    private static final List<String> SMOKE_MODES = List.of("1x100");

    @Override
    public String name() {
        return "schedule";
    }

    @Override
    public Duration estimate(Lab lab) {
        List<String> modes = modes(lab);
        return Duration.ofMillis(
                (millis(lab) + 250L) * modes.size() * lab.contestants().size() * lab.allRounds());
    }

    private static List<String> modes(Lab lab) {
        return lab.chosen(lab.size().pick(MODES, SMOKE_MODES));
    }

    private static int millis(Lab lab) {
        return lab.size().pick(1_000, 100);
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(lab.contestants(), (contestant, round) -> {
            for (String mode : modes(lab)) {
                measure(lab, contestant, mode, round);
            }
        });
    }

    private void measure(Lab lab, Contestant contestant, String mode, int round) {
        String[] threadsAndBatch = mode.split("x");
        Server server = lab.server(contestant);
        WorkerProcess worker = lab.worker(contestant);
        lab.openOnEmpty(contestant, List.of(worker));
        Load.of(0, 100).batch(10).callOn(worker); // so that connections and scripts are there
        Usage before = server.usage();
        Line answer = Load.of(100, Integer.MAX_VALUE / 2)
                .threads(Integer.parseInt(threadsAndBatch[0]))
                .batch(Integer.parseInt(threadsAndBatch[1]))
                .atMost(millis(lab))
                .callOn(worker);
        Usage used = server.usage().since(before);
        worker.call("close");
        double count = answer.number("count");
        Map<String, Double> figures = Figures.perMessage(used, answer, count);
        figures.put(Figures.RATE, count / (answer.number("nanos") / 1e9));
        lab.record(name(), contestant, mode, round, figures);
    }
}
