package io.delayqueue.benchmarks;

import io.delayqueue.benchmarks.report.Report;
import io.delayqueue.benchmarks.scenarios.BurstScenario;
import io.delayqueue.benchmarks.scenarios.ClientScenario;
import io.delayqueue.benchmarks.scenarios.CrashScenario;
import io.delayqueue.benchmarks.scenarios.DrainScenario;
import io.delayqueue.benchmarks.scenarios.DurableScenario;
import io.delayqueue.benchmarks.scenarios.GrowthScenario;
import io.delayqueue.benchmarks.scenarios.IdleScenario;
import io.delayqueue.benchmarks.scenarios.JournalScenario;
import io.delayqueue.benchmarks.scenarios.LatenessScenario;
import io.delayqueue.benchmarks.scenarios.PayloadScenario;
import io.delayqueue.benchmarks.scenarios.ProcessesScenario;
import io.delayqueue.benchmarks.scenarios.ScaleScenario;
import io.delayqueue.benchmarks.scenarios.Scenario;
import io.delayqueue.benchmarks.scenarios.ScheduleScenario;
import io.delayqueue.benchmarks.scenarios.TopicsScenario;
import io.delayqueue.benchmarks.servers.Pause;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Measures this library beside its peers, as the system properties {@code bench.*} say: see {@code docs/benchmarks/README.md}. */
public final class Bench {

    private static final List<Scenario> SCENARIOS = List.of(
            new ScheduleScenario(),
            new DrainScenario(),
            new DurableScenario(),
            new LatenessScenario(),
            new IdleScenario(),
            new TopicsScenario(),
            new ProcessesScenario(),
            new BurstScenario(),
            new GrowthScenario(),
            new CrashScenario(),
            new ScaleScenario(),
            new PayloadScenario(),
            new JournalScenario(),
            new ClientScenario());

    /** Scenarios in which every peer takes part. */
    private static final Set<String> OF_ALL_PEERS = Set.of("schedule", "drain", "lateness", "crash");

    private Bench() {}

    /** Measures the chosen scenarios and writes the report. */
    public static void main(String[] args) throws IOException {
        Locale.setDefault(Locale.ROOT);
        Options options = new Options(System::getProperty);
        Path output = options.output();
        if (options.reportOnly()) {
            report(output);
            return;
        }
        Size size = options.size();
        Path log = options.modules().resolve("runner/target/workers.log");
        Files.createDirectories(log.toAbsolutePath().getParent());
        Jvms jvms = new Jvms(options.modules(), log.toFile());
        double loadAtStart = loadAtStart(size);
        if (loadAtStart >= Results.QUIET_LOAD) {
            System.out.printf("The machine is busy: its load average is %.2f%n", loadAtStart);
        }
        List<Scenario> scenarios;
        List<String> failed = new ArrayList<>();
        try (Lab lab = new Lab(options, jvms)) {
            List<String> conditions = Environment.conditions(lab, jvms);
            scenarios = options.scenarios(SCENARIOS, Scenario::name).stream()
                    .filter(scenario -> !isThere(options, scenario, conditions))
                    .toList();
            if (lab.takeFailed()) {
                failed.add("the start");
                if (options.isFullRun()) {
                    throw new IllegalStateException(
                            "Some peers can't be measured: see above. DELAYQUEUE_MISSING_SERVERS=allow leaves them out.");
                }
            }
            printEstimates(scenarios, lab);
            for (Scenario scenario : scenarios) {
                long start = System.nanoTime();
                List<String> environment = Environment.describe(lab, jvms, scenario.warmUp(size), loadAtStart);
                scenario.run(lab);
                if (size == Size.FULL) {
                    lab.endWorkers(); // so that each scenario begins with new processes
                }
                Results results = lab.results(scenario.name(), environment);
                if (size == Size.SMOKE && options.settings().isEmpty() && OF_ALL_PEERS.contains(scenario.name())) {
                    results.lacking(lab.contestants()).forEach(peer -> lab.failed(peer + " was not measured"));
                }
                boolean complete = !lab.takeFailed();
                if (!complete) {
                    failed.add(scenario.name());
                }
                if (complete || !options.isFullRun()) {
                    results.write(output.resolve("data"));
                }
                System.out.printf("%s took %.0f s%n", scenario.name(), (System.nanoTime() - start) / 1e9);
            }
        }
        report(output)
                .mainFigures(scenarios.stream().map(Scenario::name).toList())
                .forEach(System.out::println);
        if (!failed.isEmpty() && (options.isFullRun() || size == Size.SMOKE)) {
            throw new IllegalStateException(
                    "Measurements failed: %s. See above, and %s. A full run measures these again."
                            .formatted(String.join(", ", failed), log));
        }
        if (options.isFullRun()) {
            publish(output);
        }
    }

    private static void printEstimates(List<Scenario> scenarios, Lab lab) {
        Duration total = Duration.ZERO;
        for (Scenario scenario : scenarios) {
            Duration estimate = scenario.estimate(lab);
            total = total.plus(estimate);
            System.out.printf(
                    "%s: about %d min %d s%n", scenario.name(), estimate.toMinutes(), estimate.toSecondsPart());
        }
        System.out.printf("all: about %d min %d s%n", total.toMinutes(), total.toSecondsPart());
    }

    /** Whether an earlier part of this full run has measured a scenario, under the same conditions. */
    private static boolean isThere(Options options, Scenario scenario, List<String> conditions) {
        boolean there = options.isFullRun()
                && Results.read(options.output().resolve("data"), scenario.name())
                        .filter(results -> results.isOf(options.size(), options.rounds(), conditions))
                        .isPresent();
        if (there) {
            System.out.println(scenario.name() + ": measured before");
        }
        return there;
    }

    /** The load average; a full run waits for a quiet machine first, three minutes at most. */
    private static double loadAtStart(Size size) {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        for (int i = 0; i < 36 && size == Size.FULL && system.getSystemLoadAverage() >= Results.QUIET_LOAD; i++) {
            Pause.millis(5_000);
        }
        return system.getSystemLoadAverage();
    }

    /** Copies figures and writes their report for readers. */
    private static void publish(Path measured) throws IOException {
        Path published = Path.of(Options.PUBLISHED);
        for (Scenario scenario : SCENARIOS) {
            Results.read(measured.resolve("data"), scenario.name())
                    .orElseThrow(() -> new IllegalStateException("no figures of " + scenario.name()))
                    .write(published.resolve("data"));
        }
        report(published);
    }

    /** Writes the report of all scenarios that have figures, also from earlier runs. */
    private static Report report(Path output) throws IOException {
        List<Results> results = SCENARIOS.stream()
                .flatMap(scenario -> Results.read(output.resolve("data"), scenario.name()).stream())
                .toList();
        Report report = new Report(results);
        report.write(output);
        System.out.println("Written: " + output.resolve("report.md"));
        return report;
    }
}
