package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Pause;
import io.delayqueue.benchmarks.servers.RedisCluster;
import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Usage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The drain with several consumer processes, and with partitions over the three primaries of a local Cluster. */
public final class ScaleScenario implements Scenario {

    private static final int PRIMARIES = 3;

    @Override
    public String name() {
        return "scale";
    }

    private static List<Contestant> participants(Lab lab) {
        return lab.contestants(Contestants.CORE, "beanstalkd");
    }

    private static List<Integer> processes(Lab lab) {
        return lab.size().pick(List.of(1, 2, 4), List.of(2));
    }

    private static List<Integer> partitions(Lab lab) {
        return lab.size().pick(List.of(1, 4, 16), List.of(4));
    }

    private static int count(Lab lab) {
        return lab.size().pick(30_000, 1_000);
    }

    @Override
    public Duration estimate(Lab lab) {
        int drains = participants(lab).size() * processes(lab).size()
                + partitions(lab).size();
        return Duration.ofSeconds(
                drains * lab.allRounds() * lab.size().pick(5L, 2L) + lab.size().pick(10, 3));
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(participants(lab), (contestant, round) -> {
            for (int processes : processes(lab)) {
                lab.server(contestant).flush();
                List<WorkerProcess> workers = lab.workers(contestant, processes);
                workers.forEach(worker -> lab.open(contestant, worker));
                Map<String, Double> figures = drain(lab, lab.server(contestant), workers);
                lab.record(name(), contestant, processes + " processes", round, figures);
            }
        });
        lab.endWorkers();
        try (RedisCluster cluster = RedisCluster.start(PRIMARIES)) {
            lab.forEachRound(lab.contestants(Contestants.CORE), (contestant, round) -> {
                for (int partitions : partitions(lab)) {
                    cluster.flush();
                    WorkerProcess worker = lab.worker(contestant);
                    worker.open(cluster.address(), Lab.LEASE_MILLIS, partitions, "cluster");
                    Map<String, Double> figures = drain(lab, cluster, List.of(worker));
                    lab.record(name(), contestant, "cluster, P = " + partitions, round, figures);
                }
            });
        }
    }

    private static Map<String, Double> drain(Lab lab, Server server, List<WorkerProcess> workers) {
        int count = count(lab);
        long due = System.currentTimeMillis() + 1_000;
        Usage empty = server.usage();
        Load.of(0, count).batch(100).dueAt(due).callOn(workers.get(0));
        Usage full = server.usage();
        Pause.millis(due + 1_000 - System.currentTimeMillis());
        Usage beforeDrain = server.usage();
        Drain.Outcome drained = Drain.of(Consumption.of(0, count), workers, 20_000);
        Usage drain = server.usage().since(beforeDrain);
        workers.forEach(worker -> worker.call("close"));
        double handled = drained.handled();
        Map<String, Double> figures = new HashMap<>(Figures.perMessage(drain, handled));
        figures.put(Figures.RATE, drained.rate());
        figures.put(Figures.CLIENT_CPU, drained.cpuNanos() / 1e3 / handled);
        figures.put("lifeServerCpu", full.since(empty).cpuMicros() / count + drain.cpuMicros() / handled);
        figures.put("handled", (double) drained.count());
        return figures;
    }
}
