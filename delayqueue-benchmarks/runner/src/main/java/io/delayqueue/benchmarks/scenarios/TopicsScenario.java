package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Pause;
import io.delayqueue.benchmarks.servers.RedisServer;
import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Line;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One process with a thousand topics, and one with few topics of many partitions. Measures what it holds, idles at, and how late it is with
 * one message a second on each topic; then one busy topic beside the idle ones.
 */
public final class TopicsScenario implements Scenario {

    /** The setting of a thousand topics. */
    public static final String THOUSAND = "1000 topics";

    private static final int CONCURRENCY = 10;

    @Override
    public String name() {
        return "topics";
    }

    /** A single topic shows what each process costs anyway. */
    private static List<Shape> shapes(Lab lab) {
        return lab.size()
                .pick(
                        List.of(new Shape(1, 1), new Shape(1_000, 1), new Shape(60, 16)),
                        List.of(new Shape(20, 1), new Shape(2, 4)));
    }

    @Override
    public Duration estimate(Lab lab) {
        long each = lab.size().pick(35, 3);
        return Duration.ofSeconds(each * shapes(lab).size() * lab.allRounds());
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(
                shapes(lab),
                shape -> lab.contestants(Contestants.CORE),
                shape -> (contestant, round) -> measure(lab, contestant, shape, round));
    }

    private void measure(Lab lab, Contestant contestant, Shape shape, int round) {
        int seconds = lab.size().pick(10, 1);
        SteadyRate onEach = SteadyRate.of(shape.topics(), 0, 3 * shape.topics(), seconds * shape.topics())
                .topics(shape.topics())
                .delay(lab.size().pick(2_000, 300));
        int busy = lab.size().pick(50_000, 500);
        Consumption consumption =
                Consumption.of(0, onEach.all() + busy).topics(shape.topics()).concurrency(CONCURRENCY);

        RedisServer redis = lab.servers().redis();
        redis.flush();
        List<WorkerProcess> workers = lab.workers(contestant, 2);
        WorkerProcess worker = workers.get(0);
        Pause.millis(lab.size().pick(500, 0)); // so that connections of earlier measurements are gone
        Line before = worker.call("state");
        long connections = redis.connections();
        lab.open(contestant, worker, Lab.LEASE_MILLIS, shape.partitions());
        double startMillis = millis(() -> consumption.startOn(worker));
        Pause.millis(lab.size().pick(2_000, 100));
        Line idle = worker.call("state");

        Map<String, Double> figures = new HashMap<>();
        figures.put("threads", (double) idle.number("threads") - before.number("threads"));
        figures.put("connections", (double) redis.connections() - connections);
        figures.put("heapPerTopic", (idle.number("heap") - before.number("heap")) / (double) shape.topics());
        figures.put("startMillis", startMillis);
        figures.putAll(IdleScenario.window(lab, List.of(worker), lab.size().pick(10_000L, 200L), shape.topics()));

        Usage beforeRate = redis.usage();
        figures.putAll(onEach.lateness(worker, List.of(worker)).figures());
        Usage ofRate = redis.usage().since(beforeRate);
        figures.putAll(Figures.perMessage(ofRate, onEach.all()));
        figures.put("threadsAtRate", threads(worker) - before.number("threads"));

        lab.open(contestant, workers.get(1), Lab.LEASE_MILLIS, shape.partitions());
        figures.put("busyRate", busyRate(lab, workers, consumption, onEach.all(), busy));
        figures.put("stopMillis", millis(() -> worker.call("stop")));
        workers.forEach(each -> each.call("close"));
        lab.record(name(), contestant, shape.toString(), round, figures);
    }

    private static double threads(WorkerProcess worker) {
        return worker.call("state").number("threads");
    }

    /** Messages a second on one topic, from the first handler to the last one, while the others are idle. */
    private static double busyRate(
            Lab lab, List<WorkerProcess> workers, Consumption consumption, int first, int count) {
        long due = System.currentTimeMillis() + lab.size().pick(4_000, 500);
        Load.of(first, count).topic(consumption.topic(0)).batch(100).dueAt(due).callOn(workers.get(1));
        workers.get(0).call("await", "millis", lab.size().pick(20_000, 5_000));
        return Drain.rate(Drain.entered(List.of(workers.get(0)), first, first + count));
    }

    private static double millis(Runnable action) {
        long begun = System.nanoTime();
        action.run();
        return (System.nanoTime() - begun) / 1e6;
    }

    private record Shape(int topics, int partitions) {

        @Override
        public String toString() {
            return topics + (topics == 1 ? " topic" : " topics") + (partitions == 1 ? "" : " × " + partitions);
        }
    }
}
