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

    private static final int TEN_MILLION = 10_000_000;

    /** Memory of each of the 10 million, with a reserve. */
    private static final long BYTES_PER_PENDING = 600;

    /** The least number that no message has had. */
    private int next;

    @Override
    public String name() {
        return "growth";
    }

    private static List<Contestant> participants(Lab lab) {
        return lab.contestants(Contestants.CORE, Contestants.LIMIT, "beanstalkd", "redisson");
    }

    private static List<Integer> sizes(Lab lab) {
        if (lab.size() == Size.SMOKE) {
            return List.of(0, 2_000);
        }
        return Machine.freeMemory() > 2L * TEN_MILLION * BYTES_PER_PENDING
                ? List.of(0, 100_000, 1_000_000, TEN_MILLION)
                : List.of(0, 100_000, 1_000_000);
    }

    /** Those that reach this size: with more pending, Redisson takes minutes until the first message. */
    private static List<Contestant> participants(Lab lab, int pending) {
        return participants(lab).stream()
                .filter(contestant -> switch (contestant.name()) {
                    case Contestants.CORE, Contestants.LIMIT -> true;
                    case "redisson" -> pending <= 100_000;
                    default -> pending < TEN_MILLION;
                })
                .toList();
    }

    /** Redisson drains a thousand messages a second beside 100,000 others. */
    private static int count(Lab lab, Contestant contestant, int pending) {
        boolean slow = contestant.name().equals("redisson") && pending > 0;
        return lab.size().pick(slow ? 2_000 : 20_000, 500);
    }

    @Override
    public Duration estimate(Lab lab) {
        long each = lab.size().pick(30 + 18L * lab.rounds(), 2L);
        return Duration.ofSeconds(participants(lab).size() * each + lab.size().pick(200, 0));
    }

    /**
     * Each size has a topic of its own, which keeps its pending messages over all rounds: filling takes too long to repeat it.
     */
    @Override
    public void run(Lab lab) {
        lab.forEachRound(participants(lab), (contestant, round) -> {
            memory(lab, contestant, 100, round);
            if (lab.size() == Size.FULL) {
                memory(lab, contestant, 1024, round);
            }
        });
        List<Integer> sizes = sizes(lab);
        if (lab.size() == Size.FULL && !sizes.contains(TEN_MILLION)) {
            lab.note("not enough memory for 10 million pending messages");
        }
        participants(lab).stream().map(lab::server).distinct().forEach(Server::flush);
        try {
            sizes.forEach(pending -> participants(lab, pending).forEach(contestant -> fill(lab, contestant, pending)));
        } catch (RuntimeException e) {
            lab.failed("pending messages could not be scheduled: " + e.getMessage());
            return;
        }
        lab.forEachRound(
                sizes,
                pending -> participants(lab, pending),
                pending -> (contestant, round) -> measure(lab, contestant, pending, round));
    }

    private static String topic(int pending) {
        return Load.TOPIC + "-" + pending;
    }

    /** Schedules pending messages; numbers below ten million are those of handled messages. */
    private static void fill(Lab lab, Contestant contestant, int pending) {
        WorkerProcess worker = lab.worker(contestant);
        lab.open(contestant, worker);
        Load.of(TEN_MILLION, pending)
                .topic(topic(pending))
                .threads(2)
                .batch(1_000)
                .delay(Duration.ofDays(1).toMillis())
                .callOn(worker);
        worker.call("close");
    }

    private void measure(Lab lab, Contestant contestant, int pending, int round) {
        int count = count(lab, contestant, pending);
        int first = next; // a second attempt has numbers of its own, too
        next += count;
        Server server = lab.server(contestant);
        WorkerProcess worker = lab.worker(contestant);
        lab.open(contestant, worker);
        Usage before = server.usage();
        long due = System.currentTimeMillis() + lab.size().pick(1_200, 200);
        Line scheduled = Load.of(first, count)
                .topic(topic(pending))
                .batch(100)
                .dueAt(due)
                .callOn(worker);
        Usage schedule = server.usage().since(before);
        Pause.millis(due + lab.size().pick(900, 0) - System.currentTimeMillis());
        Usage beforeDrain = server.usage();
        Drain.Outcome drained = Drain.of(Consumption.of(first, count).of(topic(pending)), List.of(worker), 5_000);
        Usage drain = server.usage().since(beforeDrain);
        worker.call("close");

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
