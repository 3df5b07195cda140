package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Pause;
import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Line;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How fast a heap of due messages is handled, and what the whole life of a message costs. One process schedules, in batches of 100,
 * and ends its connections; when all are due, another begins to consume.
 */
public final class DrainScenario implements Scenario {

    /** Allows for what is rounded up to whole seconds. */
    private static final long SPARE_MILLIS = 1_500;

    private final Map<String, Double> scheduleMillisPerMessage = new HashMap<>();

    @Override
    public String name() {
        return "drain";
    }

    private static List<Integer> concurrency(Lab lab) {
        return lab.size().pick(List.of(8, 64, 100, 256), List.of(64));
    }

    private static int count(Lab lab, Contestant contestant, int round) {
        int count = Math.min(contestant.drainable(), lab.size().pick(100_000, 1_000));
        return round == 0 && lab.size().pick(true, false) ? count / 3 : count;
    }

    @Override
    public Duration estimate(Lab lab) {
        double seconds = lab.contestants().stream()
                .mapToDouble(contestant -> lab.size().pick(contestant.drainable() < 100_000 ? 18 : 9, 4))
                .sum();
        return Duration.ofSeconds((long) (seconds * concurrency(lab).size() * (lab.rounds() + 0.5)));
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(lab.contestants(), (contestant, round) -> {
            for (int concurrency : concurrency(lab)) {
                measure(lab, contestant, concurrency, round);
            }
        });
    }

    private void measure(Lab lab, Contestant contestant, int concurrency, int round) {
        int count = count(lab, contestant, round);
        Server server = lab.server(contestant);
        List<WorkerProcess> workers = lab.workers(contestant, 2);
        WorkerProcess producer = workers.get(0);
        WorkerProcess consumer = workers.get(1);
        lab.openOnEmpty(contestant, List.of(producer));

        Usage empty = server.usage();
        long due = System.currentTimeMillis() + expectedMillis(contestant, count);
        Line scheduled = Load.of(0, count).batch(100).dueAt(due).callOn(producer);
        producer.call("close");
        Usage full = server.usage();
        scheduleMillisPerMessage.put(contestant.name(), scheduled.number("nanos") / 1e6 / count);

        lab.open(contestant, consumer);
        Pause.millis(due + SPARE_MILLIS - System.currentTimeMillis());
        Usage beforeDrain = server.usage();
        Drain.Outcome drained =
                Drain.of(List.of(consumer), 0, count, concurrency, lab.size().pick(20_000, 5_000));
        Usage drain = server.usage().since(beforeDrain);
        consumer.call("close");

        double handled = Math.max(1, drained.count());
        Map<String, Double> figures = Figures.perMessage(drain, handled);
        figures.put(Figures.RATE, drained.rate());
        figures.put(Figures.CLIENT_CPU, drained.cpuNanos() / 1e3 / handled);
        figures.put(Figures.ALLOCATED, drained.allocated() / handled);
        figures.put("handled", (double) drained.count());
        figures.put("duplicates", (double) drained.duplicates());
        Usage schedule = full.since(empty);
        figures.put("scheduleServerCpu", schedule.cpuMicros() / count);
        figures.put("lifeServerCpu", schedule.cpuMicros() / count + drain.cpuMicros() / handled);
        figures.put("lifeCommands", schedule.commands() / (double) count + drain.commands() / handled);
        lab.record(name(), contestant, Integer.toString(concurrency), round, figures);
    }

    /** How long scheduling so many will take: as long as the last time, and some more. */
    private long expectedMillis(Contestant contestant, int count) {
        double each = scheduleMillisPerMessage.getOrDefault(contestant.name(), 0.05);
        return (long) (each * count * 1.2) + 300;
    }
}
