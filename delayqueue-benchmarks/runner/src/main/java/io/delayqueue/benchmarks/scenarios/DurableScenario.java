package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Disk;
import io.delayqueue.benchmarks.servers.Durability;
import io.delayqueue.benchmarks.servers.Pause;
import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Usage;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The speed and cost of scheduling and draining with servers that write to disk, relaxed and strict. */
public final class DurableScenario implements Scenario {

    /** Bytes written to disk, a message. */
    public static final String WRITTEN = "writtenBytes";

    /** Threads × messages a call. */
    private static final List<String> MODES = List.of("1x1", "8x1", "64x1", "1x100");

    private static final List<Durability> DURABILITIES = List.of(Durability.RELAXED, Durability.STRICT);

    private final Disk disk = Disk.ofTemporaryFiles();

    @Override
    public String name() {
        return "durable";
    }

    /** The name of a setting: {@code relaxed 8x1}, {@code strict drain}. */
    public static String setting(Durability durability, String part) {
        return durability.name().toLowerCase(Locale.ROOT) + " " + part;
    }

    private static List<Contestant> participants(Lab lab) {
        return lab.contestants(Contestants.CORE, Contestants.LIMIT, "beanstalkd", "redisson", "db-scheduler");
    }

    private static List<String> modes(Lab lab) {
        return lab.size().pick(MODES, List.of("1x100"));
    }

    private static int millis(Lab lab) {
        return lab.size().pick(1_000, 100);
    }

    private static int drained(Lab lab, Contestant contestant) {
        return Math.min(contestant.drainable(), lab.size().pick(50_000, 100));
    }

    @Override
    public Duration estimate(Lab lab) {
        long each = modes(lab).size() * (millis(lab) + 300L) + lab.size().pick(9_000, 800);
        return Duration.ofMillis(each * DURABILITIES.size() * participants(lab).size() * lab.allRounds());
    }

    @Override
    public void run(Lab lab) {
        List<Server> servers =
                participants(lab).stream().map(lab::server).distinct().toList();
        lab.forEachRound(DURABILITIES, durability -> participants(lab), durability -> (contestant, round) -> {
            lab.server(contestant).keep(durability);
            for (String mode : modes(lab)) {
                schedule(lab, contestant, durability, mode, round);
            }
            drain(lab, contestant, durability, round);
        });
        servers.forEach(server -> server.keep(Durability.USUAL));
    }

    private void schedule(Lab lab, Contestant contestant, Durability durability, String mode, int round) {
        Scheduled scheduled = Scheduled.of(lab, contestant, mode, millis(lab), disk::written);
        Map<String, Double> figures = scheduled.figures();
        putWritten(figures, scheduled.written() / scheduled.count());
        lab.record(name(), contestant, setting(durability, mode), round, figures);
    }

    private void drain(Lab lab, Contestant contestant, Durability durability, int round) {
        int count = drained(lab, contestant);
        Server server = lab.server(contestant);
        WorkerProcess worker = lab.worker(contestant);
        lab.openOnEmpty(contestant, List.of(worker));
        long writtenBefore = disk.written();
        Usage empty = server.usage();
        Load.of(0, count).batch(100).delay(0).callOn(worker);
        Pause.millis(lab.size().pick(1_100, 0)); // peers that round up to whole seconds
        Drain.Outcome drained = Drain.of(Consumption.of(0, count), List.of(worker), 20_000);
        worker.call("close");
        Usage life = server.usage().since(empty);
        long written = disk.written() - writtenBefore;

        double handled = drained.handled();
        Map<String, Double> figures = Figures.perMessage(life, handled);
        figures.put(Figures.RATE, drained.rate());
        figures.put("handled", (double) drained.count());
        putWritten(figures, written / handled);
        lab.record(name(), contestant, setting(durability, "drain"), round, figures);
    }

    private static void putWritten(Map<String, Double> figures, double bytes) {
        if (bytes > 0) { // else the system does not tell
            figures.put(WRITTEN, bytes);
        }
    }
}
