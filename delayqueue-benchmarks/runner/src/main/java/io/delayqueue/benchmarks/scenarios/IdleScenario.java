package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.ClientCommands;
import io.delayqueue.benchmarks.servers.Pause;
import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Servers;
import io.delayqueue.benchmarks.servers.Usage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The cost of waiting: with few and many topics, in one process and in ten. */
public final class IdleScenario implements Scenario {

    private static final int CONCURRENCY = 10;
    private static final int PROCESSES = 10;

    @Override
    public String name() {
        return "idle";
    }

    private static List<Integer> topics(Lab lab, Contestant contestant) {
        return isSpring(contestant) ? List.of(1) : lab.size().pick(List.of(1, 20, 200), List.of());
    }

    /** Adapters of Spring applications consume one topic only, and a small machine can't start ten of them in time. */
    private static boolean isSpring(Contestant contestant) {
        return contestant.name().equals("starter") || contestant.name().startsWith("rqueue");
    }

    /** This library's guard interval, so that each window has as many of its commands; other peers have less time. */
    private static int windowMillis(Lab lab, Contestant contestant) {
        boolean ours = contestant.module().equals("peers/delayqueue");
        return lab.size().pick(ours ? 5_000 : 2_000, 200);
    }

    private static int processes(Lab lab) {
        return lab.size().pick(PROCESSES, 2);
    }

    /** The peers on Redis. Others have no commands to count. */
    private static List<Contestant> participants(Lab lab) {
        return lab.contestants().stream()
                .filter(contestant -> contestant.server() == Servers.Kind.REDIS)
                .filter(contestant -> !contestant.name().equals(Contestants.PIPELINING)) // polls as the limit line does
                .toList();
    }

    @Override
    public Duration estimate(Lab lab) {
        return Duration.ofMillis(participants(lab).stream()
                        .mapToLong(contestant -> {
                            int settings = topics(lab, contestant).size() + (isSpring(contestant) ? 0 : 1);
                            return settings
                                    * (windowMillis(lab, contestant)
                                            + lab.size().pick(2_500L, 300L));
                        })
                        .sum()
                * lab.allRounds());
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(participants(lab), (contestant, round) -> {
            for (int topics : topics(lab, contestant)) {
                measure(lab, contestant, topics, 1, round);
            }
            if (!isSpring(contestant)) {
                measure(lab, contestant, 1, processes(lab), round);
            }
        });
    }

    private void measure(Lab lab, Contestant contestant, int topics, int processes, int round) {
        List<WorkerProcess> workers = lab.workers(contestant, processes);
        lab.openOnEmpty(contestant, workers);
        Consumption consumption = Consumption.of(0, 1).topics(topics).concurrency(CONCURRENCY);
        workers.forEach(consumption::startOn);
        Pause.millis(lab.size().pick(2_000, 100));
        Map<String, Double> figures = window(lab, workers, windowMillis(lab, contestant), topics * processes);
        lab.record(name(), contestant, topics + " topics, " + processes + " processes", round, figures);
        workers.forEach(worker -> worker.call("close"));
    }

    /** The cost of this number of ms in which nothing happens. */
    static Map<String, Double> window(Lab lab, List<WorkerProcess> workers, long millis, int topicsAndProcesses) {
        Server server = lab.servers().redis();
        try (ClientCommands commands = new ClientCommands(lab.servers().redis())) {
            Usage before = server.usage();
            long clientBefore = clientCpu(workers);
            long start = System.nanoTime();
            Pause.millis(millis);
            long count = commands.count();
            double seconds = (System.nanoTime() - start) / 1e9;
            Map<String, Double> figures = new HashMap<>();
            figures.put("commandsPerSecond", count / seconds);
            figures.put("commandsPerTopicAndProcess", count / seconds / topicsAndProcesses);
            figures.put("serverCpuPercent", server.usage().since(before).cpuMicros() / seconds / 1e4);
            figures.put("clientCpuPercent", (clientCpu(workers) - clientBefore) / seconds / 1e7);
            return figures;
        }
    }

    private static long clientCpu(List<WorkerProcess> workers) {
        return workers.stream()
                .mapToLong(worker -> worker.call("await", "millis", 0).number("cpu"))
                .sum();
    }
}
