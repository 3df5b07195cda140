package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.Size;
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
 * The speed at which due messages are handled, and the cost of a message's whole life. One process schedules in batches of 100
 * and disconnects; when all messages are due, another process consumes them.
 */
public final class DrainScenario implements Scenario {

    /** Peers that round due times up to whole seconds need more than one. */
    private static final long SPARE_MILLIS = 1_500;

    private static final List<Integer> ALL_CONCURRENCIES = List.of(8, 64, 100, 256);

    private final Map<String, Double> scheduleMillisPerMessage = new HashMap<>();

    @Override
    public String name() {
        return "drain";
    }

    /** 64 for all; 100 for a comparison of batches of 100; 8 and 256 for the peers that are most alike. */
    private static List<Integer> concurrency(Lab lab, Contestant contestant) {
        List<Integer> wanted = switch (contestant.name()) {
            case Contestants.CORE, Contestants.BASELINE, Contestants.LIMIT, Contestants.PIPELINING -> ALL_CONCURRENCIES;
            case "beanstalkd", "redisson" -> List.of(8, 64, 256);
            default -> List.of(64);
        };
        return lab.chosen(lab.size().pick(wanted, List.of(64)));
    }

    @Override
    public String warmUp(Size size) {
        return size.pick("one round of warm-up, with as many drains for each contestant", "no warm-up");
    }

    private static int count(Lab lab, Contestant contestant, int round) {
        int count = Math.min(contestant.drainable(), lab.size().pick(100_000, 100));
        return round == 0 && lab.size().pick(true, false) ? count / 3 : count;
    }

    @Override
    public Duration estimate(Lab lab) {
        double seconds = lab.contestants().stream()
                .mapToDouble(contestant -> concurrency(lab, contestant).size()
                        * lab.size().pick(contestant.drainable() < 100_000 ? 12.0 : 7.0, 1.0))
                .sum();
        return Duration.ofSeconds((long) (seconds * (lab.rounds() + lab.size().pick(1.0, 0.0))));
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(lab.contestants(), (contestant, round) -> {
            List<Integer> wanted = concurrency(lab, contestant);
            for (int concurrency : wanted) {
                measure(lab, contestant, concurrency, round);
            }
            if (round == 0) {
                drainAsOften(lab, contestant, wanted);
            }
        });
    }

    /** One with fewer settings drains as often in the warm-up: its code would be compiled less than the others' else. */
    private void drainAsOften(Lab lab, Contestant contestant, List<Integer> settings) {
        for (int i = 0; !settings.isEmpty() && i < lab.chosen(ALL_CONCURRENCIES).size() - settings.size(); i++) {
            measure(lab, contestant, settings.get(i % settings.size()), 0);
        }
    }

    private void measure(Lab lab, Contestant contestant, int concurrency, int round) {
        int count = count(lab, contestant, round);
        Server server = lab.server(contestant);
        List<WorkerProcess> workers = lab.workers(contestant, lab.size().pick(2, 1));
        WorkerProcess producer = workers.get(0);
        WorkerProcess consumer = workers.get(workers.size() - 1);
        lab.openOnEmpty(contestant, List.of(producer));

        Usage empty = server.usage();
        long due = System.currentTimeMillis() + expectedMillis(contestant, count);
        Line scheduled = Load.of(0, count).batch(100).dueAt(due).callOn(producer);
        producer.call("close");
        Usage full = server.usage();
        scheduleMillisPerMessage.put(contestant.name(), scheduled.number("nanos") / 1e6 / count);

        lab.open(contestant, consumer);
        Pause.millis(due + lab.size().pick(SPARE_MILLIS, 0L) - System.currentTimeMillis());
        Usage beforeDrain = server.usage();
        Drain.Outcome drained = Drain.of(Consumption.of(0, count).concurrency(concurrency), List.of(consumer), 20_000);
        Usage drain = server.usage().since(beforeDrain);
        consumer.call("close");

        double handled = drained.handled();
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

    /** The expected time to schedule this number: a fifth more than the last time. */
    private long expectedMillis(Contestant contestant, int count) {
        double each = scheduleMillisPerMessage.getOrDefault(contestant.name(), 0.05);
        return (long) (each * count * 1.2) + 300;
    }
}
