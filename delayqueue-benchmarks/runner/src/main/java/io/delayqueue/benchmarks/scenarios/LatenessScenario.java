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

/**
 * The lateness of messages at a steady rate, each due two seconds after it was scheduled, and of single messages after a silence.
 * One process schedules and consumes, as an application does.
 */
public final class LatenessScenario implements Scenario {

    /** The setting of single messages after a silence. */
    public static final String SILENCE = "silence";

    private static final int CONCURRENCY = 10;
    private static final Duration PERIOD_OF_SILENCE = Duration.ofMillis(1_300);

    @Override
    public String name() {
        return "lateness";
    }

    private static List<Contestant> participants(Lab lab) {
        return lab.size().pick(lab.contestants(), lab.contestants(Contestants.CORE));
    }

    /** 1,000 a second for all; other rates for this library, a fast peer and a widely used one. */
    private static List<Integer> rates(Lab lab, Contestant contestant) {
        List<Integer> wanted = switch (contestant.name()) {
            case Contestants.CORE, Contestants.BASELINE, "beanstalkd", "redisson" -> List.of(100, 1_000, 5_000);
            default -> List.of(1_000);
        };
        return lab.chosen(lab.size().pick(wanted, List.of(500)));
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
        double rates = participants(lab).stream()
                .mapToDouble(contestant -> rates(lab, contestant).size() * (seconds(lab) * 1.25 + 3))
                .sum();
        double silences = participants(lab).stream()
                .mapToDouble(contestant -> takesPartInSilence(lab, contestant) ? silences(lab) * 1.3 + 3 : 0)
                .sum();
        return Duration.ofSeconds(
                (long) ((rates + silences) * (lab.rounds() + lab.size().pick(1, 0))));
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(participants(lab), (contestant, round) -> {
            for (int rate : rates(lab, contestant)) {
                int count = rate * seconds(lab);
                Duration period = Duration.ofSeconds(1).dividedBy(rate);
                measure(lab, contestant, Integer.toString(rate), round, period, count / 4, count, 2_000);
            }
            if (takesPartInSilence(lab, contestant)) {
                measure(lab, contestant, SILENCE, round, PERIOD_OF_SILENCE, 1, silences(lab), 1_000);
            }
        });
    }

    private void measure(
            Lab lab,
            Contestant contestant,
            String setting,
            int round,
            Duration period,
            int warmUp,
            int count,
            int delayMillis) {
        Server server = lab.server(contestant);
        WorkerProcess worker = lab.worker(contestant);
        lab.openOnEmpty(contestant, List.of(worker));
        Usage before = server.usage();
        Line answer = worker.call(
                "openloop",
                "topic",
                Load.TOPIC,
                "payload",
                100,
                "concurrency",
                CONCURRENCY,
                "delay",
                delayMillis,
                "period",
                period.toNanos(),
                "warmup",
                warmUp,
                "count",
                count,
                "patience",
                3_000);
        Usage used = server.usage().since(before);
        worker.call("close");
        Map<String, Double> figures = Figures.perMessage(used, answer, answer.number("count"));
        figures.putAll(Figures.percentiles("late", answer, "late"));
        figures.putAll(Figures.percentiles("lateSinceReturn", answer, "lateSinceReturn"));
        figures.putAll(Figures.percentiles("lateSinceCall", answer, "lateSinceCall"));
        figures.putAll(Figures.percentiles("lastQuarter", answer, "lastQuarter"));
        figures.putAll(Figures.percentiles("call", answer, "calls"));
        figures.put("early", (double) answer.number("early"));
        figures.put("missing", (double) answer.number("missing"));
        figures.put("duplicates", (double) answer.number("duplicates"));
        lab.record(name(), contestant, setting, round, figures);
    }
}
