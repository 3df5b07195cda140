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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The cost of the Spring Boot starter for objects that it writes and reads as JSON of several sizes. Its threads are those of the platform
 * or virtual ones; the core, which takes bytes, runs beside it.
 */
public final class PayloadScenario implements Scenario {

    private static final int CONCURRENCY = 64;

    /** One schedules, the other one handles. */
    private static final int PROCESSES = 2;

    /** Half a million messages of the least payload: in the first rounds, the compiler has more than half of the client's CPU. */
    private static final int WARM_UP = 8;

    /** Of the larger payloads, whose code is the same. */
    private static final int WARM_UP_OF_LARGER = 3;

    private final Set<WorkerProcess> open = new HashSet<>();

    @Override
    public String name() {
        return "payload";
    }

    private static List<Contestant> participants(Lab lab) {
        return lab.contestants(
                Contestants.CORE, Contestants.STARTER, Contestants.STARTER_NEWER_JDK, Contestants.STARTER_VIRTUAL);
    }

    private static List<Integer> payloads(Lab lab) {
        return lab.size().pick(List.of(100, 1_024, 10_240), List.of(1_024));
    }

    private static int count(Lab lab, int payload) {
        return lab.size().pick(payload > 2_000 ? 15_000 : 60_000, 500);
    }

    @Override
    public String warmUp(Size size) {
        return size.pick(
                WARM_UP + " rounds of warm-up of the least payload, " + WARM_UP_OF_LARGER
                        + " of the others, in processes that stay open",
                "no warm-up");
    }

    @Override
    public Duration estimate(Lab lab) {
        int warmUp = lab.size().pick(WARM_UP + 2 * WARM_UP_OF_LARGER, 0);
        return Duration.ofSeconds(participants(lab).size()
                * lab.size().pick(7L, 3L)
                * ((long) payloads(lab).size() * lab.rounds() + warmUp));
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(participants(lab), (contestant, round) -> {
            for (int payload : payloads(lab)) {
                for (int i = 0; i < times(lab, payload, round); i++) {
                    measure(lab, contestant, payload, round);
                }
            }
            if (round == lab.rounds()) {
                lab.workers(contestant, PROCESSES).forEach(process -> process.call("close"));
            }
        });
    }

    private static int times(Lab lab, int payload, int round) {
        if (round > 0) {
            return 1;
        }
        return payload == payloads(lab).get(0) ? WARM_UP : WARM_UP_OF_LARGER;
    }

    /** Spring's start in each round would leave the compiler work that takes as long as the round. */
    private void openOnce(Lab lab, Contestant contestant, WorkerProcess process) {
        if (open.add(process)) {
            lab.open(contestant, process);
        }
    }

    private void measure(Lab lab, Contestant contestant, int payload, int round) {
        int count = count(lab, payload);
        Server server = lab.server(contestant);
        List<WorkerProcess> workers = lab.workers(contestant, PROCESSES);
        WorkerProcess producer = workers.get(0);
        WorkerProcess consumer = workers.get(1);
        server.flush();
        openOnce(lab, contestant, producer);
        Usage before = server.usage();
        Line scheduled = Load.of(0, count).batch(100).payload(payload).delay(0).callOn(producer);

        openOnce(lab, contestant, consumer);
        Pause.millis(lab.size().pick(500, 0));
        Drain.Outcome drained = Drain.of(Consumption.of(0, count).concurrency(CONCURRENCY), List.of(consumer), 20_000);
        Usage life = server.usage().since(before);

        double handled = drained.handled();
        Map<String, Double> figures = Figures.perMessage(life, handled);
        figures.put(Figures.RATE, drained.rate());
        figures.put("scheduleRate", count / (scheduled.number("nanos") / 1e9));
        figures.put("scheduleClientCpu", scheduled.number("cpu") / 1e3 / count);
        figures.put("drainClientCpu", drained.cpuNanos() / 1e3 / handled);
        figures.put(Figures.CLIENT_CPU, figures.get("scheduleClientCpu") + figures.get("drainClientCpu"));
        figures.put(Figures.ALLOCATED, scheduled.number("allocated") / (double) count + drained.allocated() / handled);
        figures.put("handled", (double) drained.count());
        lab.record(name(), contestant, Integer.toString(payload), round, figures);
    }
}
