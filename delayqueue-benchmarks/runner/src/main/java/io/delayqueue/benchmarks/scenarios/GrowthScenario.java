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
import java.util.List;
import java.util.Map;

/** The cost of a message while many others are pending, and the memory of each pending message. */
public final class GrowthScenario implements Scenario {

    /** Prefix of the settings that measure memory; the payload's bytes follow. */
    public static final String MEMORY = "memory ";

    private static final int CONCURRENCY = 64;
    private static final int TEN_MILLION = 10_000_000;

    /** Memory of each of the 10 million, with a reserve. */
    private static final long BYTES_PER_PENDING = 600;

    @Override
    public String name() {
        return "growth";
    }

    private static List<Contestant> participants(Lab lab) {
        return lab.contestants(Contestants.CORE, Contestants.LIMIT, "beanstalkd", "redisson");
    }

    private static List<Integer> pending(Lab lab, Contestant contestant) {
        if (lab.size() == Size.SMOKE) {
            return List.of(0, 2_000);
        }
        return switch (contestant.name()) {
            case "redisson" -> List.of(0, 100_000); // with more pending, it takes minutes until the first message
            case Contestants.CORE ->
                hasMemoryForTenMillion(lab)
                        ? List.of(0, 100_000, 1_000_000, TEN_MILLION)
                        : List.of(0, 100_000, 1_000_000);
            default -> List.of(0, 100_000, 1_000_000);
        };
    }

    private static int count(Lab lab) {
        return lab.size().pick(20_000, 500);
    }

    @Override
    public Duration estimate(Lab lab) {
        long each = lab.size().pick(40 + 14L * lab.rounds(), 12L);
        return Duration.ofSeconds(participants(lab).size() * each + lab.size().pick(200, 0));
    }

    @Override
    public void run(Lab lab) {
        for (Contestant contestant : participants(lab)) {
            try {
                measure(lab, contestant);
            } catch (RuntimeException e) {
                lab.failed("%s, growth: %s".formatted(contestant.title(), e.getMessage()));
            }
            lab.endWorkers();
        }
    }

    /** Runs all rounds at each size in turn: filling takes too long to repeat it in each round. */
    private void measure(Lab lab, Contestant contestant) {
        WorkerProcess worker = lab.worker(contestant);
        lab.openOnEmpty(contestant, List.of(worker));
        int there = 0;
        for (int pending : pending(lab, contestant)) {
            fill(worker, there, pending);
            there = pending;
            for (int round = lab.size().pick(pending == 0 ? -2 : 0, 1); round <= lab.rounds(); round++) {
                measure(lab, contestant, worker, pending, round);
            }
        }
        worker.call("close");
        for (int round = 1; round <= lab.rounds(); round++) {
            memory(lab, contestant, 100, round);
            memory(lab, contestant, 1024, round);
        }
    }

    private static boolean hasMemoryForTenMillion(Lab lab) {
        boolean enough = Machine.freeMemory() > 2 * TEN_MILLION * BYTES_PER_PENDING;
        if (!enough) {
            lab.note("not enough memory for 10 million pending messages");
        }
        return enough;
    }

    /** Schedules pending messages; numbers below ten million are those of handled messages. */
    private static void fill(WorkerProcess worker, int from, int to) {
        Load.of(10_000_000 + from, to - from)
                .threads(2)
                .batch(1_000)
                .delay(Duration.ofDays(1).toMillis())
                .callOn(worker);
    }

    private void measure(Lab lab, Contestant contestant, WorkerProcess worker, int pending, int round) {
        int count = count(lab);
        int first = (Integer.toString(pending).length() * 10 + round) * count; // numbers not used before
        Server server = lab.server(contestant);
        Usage before = server.usage();
        long due = System.currentTimeMillis() + 1_200;
        Line scheduled = Load.of(first, count).batch(100).dueAt(due).callOn(worker);
        Usage schedule = server.usage().since(before);
        Pause.millis(due + 900 - System.currentTimeMillis());
        Usage beforeDrain = server.usage();
        Drain.Outcome drained = Drain.of(List.of(worker), first, count, CONCURRENCY, 5_000);
        Usage drain = server.usage().since(beforeDrain);

        double handled = Math.max(1, drained.count());
        Map<String, Double> figures = Figures.perMessage(drain, handled);
        figures.put(Figures.RATE, drained.rate());
        figures.put("scheduleRate", count / (scheduled.number("nanos") / 1e9));
        figures.put("scheduleServerCpu", schedule.cpuMicros() / count);
        figures.put("lifeServerCpu", schedule.cpuMicros() / count + drain.cpuMicros() / handled);
        figures.put("handled", (double) drained.count());
        lab.record(name(), contestant, Integer.toString(pending), round, figures);
    }

    private void memory(Lab lab, Contestant contestant, int payload, int round) {
        int messages = lab.size().pick(50_000, 1_000);
        WorkerProcess worker = lab.worker(contestant);
        lab.openOnEmpty(contestant, List.of(worker));
        Load.of(0, 1).callOn(worker); // what a topic needs once is not counted
        Usage before = lab.server(contestant).usage();
        Load.of(1, messages).batch(1_000).payload(payload).callOn(worker);
        Usage used = lab.server(contestant).usage().since(before);
        worker.call("close");
        lab.record(
                name(),
                contestant,
                MEMORY + payload,
                round,
                Map.of("bytesPerPending", used.memory() / (double) messages));
    }
}
