package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Line;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The lateness of messages at a steady rate, each due two seconds after it was scheduled, and of single messages after a silence.
 * One process schedules and consumes, as an application does.
 */
public final class LatenessScenario implements Scenario {

    /** The setting of single messages after a silence. */
    public static final String SILENCE = "silence";

    /** How long the processors waited for the machine that runs this one as its guest, in ms. */
    public static final String STOLEN = "stolenMillis";

    private static final int CONCURRENCY = 10;
    private static final Duration PERIOD_OF_SILENCE = Duration.ofMillis(1_300);

    @Override
    public String name() {
        return "lateness";
    }

    /** 1,000 a second for all; other rates for this library, a fast peer and a widely used one. */
    private static List<Integer> rates(Lab lab, Contestant contestant) {
        List<Integer> wanted = switch (contestant.name()) {
            case Contestants.CORE, Contestants.BASELINE, "beanstalkd", "redisson" -> List.of(100, 1_000, 5_000);
            default -> List.of(1_000);
        };
        return lab.chosen(lab.size().pick(wanted, List.of(100)));
    }

    /** Peers that poll every 50 ms or less often are left out: their lateness is known. */
    private static boolean takesPartInSilence(Lab lab, Contestant contestant) {
        return lab.isChosen(SILENCE)
                && !contestant.name().startsWith("rqueue")
                && !contestant.name().equals("db-scheduler");
    }

    private static int seconds(Lab lab) {
        return lab.size().pick(5, 1);
    }

    private static int silences(Lab lab) {
        return lab.size().pick(5, 1);
    }

    @Override
    public Duration estimate(Lab lab) {
        double rates = lab.contestants().stream()
                .mapToDouble(contestant ->
                        rates(lab, contestant).size() * lab.size().pick(seconds(lab) * 1.25 + 3, 1.0))
                .sum();
        double silences = lab.contestants().stream()
                .mapToDouble(contestant -> takesPartInSilence(lab, contestant) ? silences(lab) * 1.3 + 3 : 0)
                .sum();
        return Duration.ofSeconds((long) ((rates + silences) * lab.allRounds()));
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(lab.contestants(), (contestant, round) -> {
            for (int rate : rates(lab, contestant)) {
                int count = lab.size().pick(rate * seconds(lab), 20);
                SteadyRate messages = SteadyRate.of(rate, 0, count / 4, count)
                        .delay(lab.size().pick(2_000, 300));
                measure(lab, contestant, Integer.toString(rate), round, messages);
            }
            if (takesPartInSilence(lab, contestant)) {
                SteadyRate messages = new SteadyRate(Load.TOPIC, 1, 0, 1, silences(lab), PERIOD_OF_SILENCE, 1_000);
                measure(lab, contestant, SILENCE, round, messages);
            }
        });
    }

    private void measure(Lab lab, Contestant contestant, String setting, int round, SteadyRate rate) {
        Server server = lab.server(contestant);
        WorkerProcess worker = lab.worker(contestant);
        lab.openOnEmpty(contestant, List.of(worker));
        Usage before = server.usage();
        Consumption.of(0, rate.all()).concurrency(CONCURRENCY).startOn(worker);
        OptionalLong stolenBefore = Machine.stolenMillis();
        Lateness lateness = rate.lateness(worker, List.of(worker));
        OptionalLong stolen = Machine.stolenMillis();
        Line used = worker.call("await", "millis", 0);
        Usage usedByServer = server.usage().since(before);
        worker.call("close");
        Map<String, Double> figures = Figures.perMessage(usedByServer, used, rate.all());
        figures.putAll(lateness.figures());
        figures.put("duplicates", (double) used.number("duplicates"));
        stolen.ifPresent(after -> figures.put(STOLEN, (double) after - stolenBefore.orElseThrow()));
        lab.record(name(), contestant, setting, round, figures);
    }
}
