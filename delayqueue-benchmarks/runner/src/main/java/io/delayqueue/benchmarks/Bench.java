package io.delayqueue.benchmarks;

import io.delayqueue.benchmarks.report.Report;
import io.delayqueue.benchmarks.scenarios.ClientScenario;
import io.delayqueue.benchmarks.scenarios.CrashScenario;
import io.delayqueue.benchmarks.scenarios.DrainScenario;
import io.delayqueue.benchmarks.scenarios.GrowthScenario;
import io.delayqueue.benchmarks.scenarios.IdleScenario;
import io.delayqueue.benchmarks.scenarios.JournalScenario;
import io.delayqueue.benchmarks.scenarios.LatenessScenario;
import io.delayqueue.benchmarks.scenarios.ScaleScenario;
import io.delayqueue.benchmarks.scenarios.Scenario;
import io.delayqueue.benchmarks.scenarios.ScheduleScenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Measures this library beside its peers, as the system properties {@code bench.*} say: see {@code docs/benchmarks/README.md}. */
public final class Bench {

    private static final List<Scenario> SCENARIOS = List.of(
            new ScheduleScenario(),
            new DrainScenario(),
            new LatenessScenario(),
            new IdleScenario(),
            new GrowthScenario(),
            new CrashScenario(),
            new ScaleScenario(),
            new JournalScenario(),
            new ClientScenario());

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
        List<Scenario> scenarios = options.scenarios(SCENARIOS, Scenario::name);
        Size size = options.size();
        Path log = options.modules().resolve("runner/target/workers.log");
        Files.createDirectories(log.toAbsolutePath().getParent());
        boolean failed;
        Jvms jvms = new Jvms(options.modules(), log.toFile());
        try (Lab lab = new Lab(options, jvms)) {
            Duration total = Duration.ZERO;
            for (Scenario scenario : scenarios) {
                Duration estimate = scenario.estimate(lab);
                total = total.plus(estimate);
                System.out.printf(
                        "%s: about %d min %d s%n", scenario.name(), estimate.toMinutes(), estimate.toSecondsPart());
            }
            System.out.printf("all: about %d min %d s%n", total.toMinutes(), total.toSecondsPart());
            for (Scenario scenario : scenarios) {
                long start = System.nanoTime();
                List<String> environment = Environment.describe(lab, jvms);
                scenario.run(lab);
                if (size == Size.FULL) {
                    lab.endWorkers(); // so that each scenario begins with new processes
                }
                lab.results(scenario.name(), environment).write(output.resolve("data"));
                System.out.printf("%s took %.0f s%n", scenario.name(), (System.nanoTime() - start) / 1e9);
            }
            failed = lab.hasFailed();
        }
        report(output)
                .mainFigures(scenarios.stream().map(Scenario::name).toList())
                .forEach(System.out::println);
        if (failed && size == Size.SMOKE) {
            throw new IllegalStateException("Some measurements failed: see above, and " + log);
        }
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
