package io.delayqueue.benchmarks.report;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.scenarios.DurableScenario;
import io.delayqueue.benchmarks.scenarios.Figures;
import io.delayqueue.benchmarks.servers.Durability;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The plots of the report, of those scenarios that were measured. */
final class Plots {

    private final SampleTable samples;
    private final List<Contestant> peers;
    private final List<Plot> plots = new ArrayList<>();

    private Plots(SampleTable samples, List<Contestant> peers) {
        this.samples = samples;
        this.peers = peers;
    }

    static List<Plot> of(SampleTable samples, List<Contestant> peers) {
        Plots plots = new Plots(samples, peers);
        plots.bars("drain", "Drain: messages a second, 64 handlers at a time", "64", Figures.RATE);
        plots.bars(
                "durable",
                "Durable, relaxed: drain, messages a second, 64 handlers at a time",
                DurableScenario.setting(Durability.RELAXED, "drain"),
                Figures.RATE);
        plots.bars("schedule", "Schedule: messages a second, 8 threads one by one", "8x1", Figures.RATE);
        plots.lateness();
        plots.growth();
        return plots.plots;
    }

    private void bars(String scenario, String title, String setting, String figure) {
        Map<String, List<Stat>> rows = rows(peers, scenario, List.of(new Point(setting, figure)));
        if (!rows.isEmpty()) {
            add(scenario, title, Chart.bars(title, List.of(""), rows, false));
        }
    }

    private void lateness() {
        String title = "Lateness since the begin of the schedule call at 1,000 messages a second, ms (logarithmic)";
        Map<String, List<Stat>> rows = rows(
                peers,
                "lateness",
                List.of(new Point("1000", Figures.SINCE_CALL + "P50"), new Point("1000", Figures.SINCE_CALL + "P99")));
        if (!rows.isEmpty()) {
            add("lateness", title, Chart.bars(title, List.of("p50", "p99"), rows, true));
        }
    }

    private void growth() {
        String title = "Server CPU of a message's life, µs, by messages pending (logarithmic)";
        List<String> settings = List.of("0", "100000", "1000000", "10000000");
        // its cost at 100,000 pending is twenty times as high, and would make one line of all others
        Map<String, List<Stat>> rows = rows(
                peers.stream().filter(peer -> !peer.name().equals("redisson")).toList(),
                "growth",
                settings.stream()
                        .map(setting -> new Point(setting, "lifeServerCpu"))
                        .toList());
        if (!rows.isEmpty()) {
            add("growth", title, Chart.lines(title, List.of("0", "100,000", "1,000,000", "10,000,000"), rows));
        }
    }

    /** The figures of each peer at these points, up to the first one that is missing. */
    private Map<String, List<Stat>> rows(List<Contestant> contestants, String scenario, List<Point> points) {
        Map<String, List<Stat>> rows = new LinkedHashMap<>();
        for (Contestant contestant : contestants) {
            List<Stat> stats = points.stream()
                    .map(point -> samples.stat(scenario, contestant.name(), point.setting(), point.figure()))
                    .takeWhile(Optional::isPresent)
                    .flatMap(Optional::stream)
                    .toList();
            if (!stats.isEmpty()) {
                rows.put(contestant.title(), stats);
            }
        }
        return rows;
    }

    private void add(String name, String title, String svg) {
        plots.add(new Plot(name + ".svg", title, svg));
    }

    private record Point(String setting, String figure) {}

    /**
     * A plot.
     *
     * @param file its name
     * @param title for readers
     * @param svg its text
     */
    record Plot(String file, String title, String svg) {}
}
