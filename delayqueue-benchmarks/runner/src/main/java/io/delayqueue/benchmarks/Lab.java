package io.delayqueue.benchmarks;

import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Servers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Gives scenarios their servers and worker processes, and records their samples. */
public final class Lab implements AutoCloseable {

    /** The usual lease. */
    public static final long LEASE_MILLIS = 30_000;

    private static final Pattern FOLDERS = Pattern.compile("(?<![\\w./:])/(?:[\\w.@+-]+/)+");

    private final Size size;
    private final int rounds;
    private final Set<String> settings;
    private final List<String> commits;
    private final Jvms jvms;
    private final Servers servers;
    private final List<String> unavailable = new ArrayList<>();
    private final List<Contestant> contestants;
    private final Map<String, List<WorkerProcess>> workers = new HashMap<>();
    private final List<Sample> samples = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private boolean failed;

    Lab(Options options, Jvms jvms) {
        this.size = options.size();
        this.rounds = options.rounds();
        this.settings = options.settings();
        this.commits = options.commits();
        this.jvms = jvms;
        this.servers = new Servers((module, program) -> jvms.prepare(module, List.of("-Xmx512m"), program)
                .redirectOutput(Redirect.appendTo(jvms.log()))
                .start());
        this.contestants = options.peers().stream().filter(this::canBeMeasured).toList();
    }

    /** Whether the contestant has its server and programs. A peer that can't be measured is a failure, unless that is allowed. */
    private boolean canBeMeasured(Contestant contestant) {
        String missing = servers.get(contestant.server()).isEmpty()
                ? contestant.server() + " is not available"
                : jvms.missingFor(contestant);
        if (missing.isEmpty()) {
            return true;
        }
        unavailable.add("%s is not measured: %s".formatted(contestant.title(), missing));
        System.out.println(contestant.title() + " can't be measured: " + missing);
        failed |= isFailure(System.getenv("DELAYQUEUE_MISSING_SERVERS"));
        return false;
    }

    /** Whether a peer that can't be measured fails the run, by the value of the variable; null if it is not set. */
    static boolean isFailure(@Nullable String missingServers) {
        return !"allow".equals(missingServers);
    }

    /** The size of the run. */
    public Size size() {
        return size;
    }

    /** Rounds that count; one of warm-up precedes them. */
    public int rounds() {
        return rounds;
    }

    /** All rounds, with that of the warm-up if there is one. */
    public int allRounds() {
        return rounds + size.pick(1, 0);
    }

    /** The commits that are measured. */
    List<String> commits() {
        return commits;
    }

    /** The chosen ones of these settings. */
    public <T> List<T> chosen(List<T> all) {
        return all.stream().filter(setting -> isChosen(setting.toString())).toList();
    }

    /** Whether a setting is chosen. */
    public boolean isChosen(String setting) {
        return settings.isEmpty() || settings.contains(setting);
    }

    /** The contestants of this run, but those of single scenarios. */
    public List<Contestant> contestants() {
        return contestants.stream()
                .filter(contestant -> !Contestants.isOfSingleScenarios(contestant))
                .toList();
    }

    /** The contestants of these names, if they are in this run. A name that no contestant has is refused. */
    public List<Contestant> contestants(String... names) {
        List<String> wanted = List.of(names);
        List<String> known =
                new ArrayList<>(Contestants.all().stream().map(Contestant::name).toList());
        known.add(Contestants.BASELINE);
        if (!known.containsAll(wanted)) {
            throw new IllegalArgumentException("One of " + wanted + " is no contestant: " + known);
        }
        return contestants.stream()
                .filter(contestant -> wanted.contains(contestant.name()))
                .toList();
    }

    /** All servers. */
    public Servers servers() {
        return servers;
    }

    /** The server of this contestant. */
    public Server server(Contestant contestant) {
        return servers.get(contestant.server()).orElseThrow();
    }

    /** The first worker process of a contestant, started if needed. */
    public WorkerProcess worker(Contestant contestant) {
        return workers(contestant, 1).get(0);
    }

    /** This number of worker processes of a contestant, started if needed. */
    public List<WorkerProcess> workers(Contestant contestant, int count) {
        List<WorkerProcess> existing = workers.computeIfAbsent(contestant.name(), name -> new ArrayList<>());
        while (existing.size() < count) {
            existing.add(WorkerProcess.start(contestant, jvms));
        }
        return List.copyOf(existing.subList(0, count));
    }

    /** Kills worker processes at the same moment, as {@code kill -9}. */
    public void kill(Contestant contestant, List<WorkerProcess> killed) {
        WorkerProcess.killAll(killed);
        workers.getOrDefault(contestant.name(), new ArrayList<>()).removeAll(killed);
    }

    /** Ends all worker processes; the next calls start new ones. */
    public void endWorkers() {
        workers.values().forEach(each -> each.forEach(WorkerProcess::close));
        workers.clear();
    }

    /** Runs a program of this module in a new process, and waits for its end. */
    public void run(String module, List<String> program) {
        try {
            int exit = jvms.prepare(module, List.of(), program)
                    .redirectOutput(Redirect.appendTo(jvms.log()))
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException(
                        "%s of %s ended with %d: see %s".formatted(program.get(0), module, exit, jvms.log()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("can't run " + program.get(0) + " of " + module, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + program.get(0) + " of " + module + " ran", e);
        }
    }

    /** Empties the server and connects these processes to it. */
    public void openOnEmpty(Contestant contestant, List<WorkerProcess> processes) {
        server(contestant).flush();
        processes.forEach(process -> open(contestant, process));
    }

    /** Connects a process to its server, with a lease of 30 s. */
    public void open(Contestant contestant, WorkerProcess process) {
        open(contestant, process, LEASE_MILLIS, 1);
    }

    /** Connects a process to its server. */
    public void open(Contestant contestant, WorkerProcess process, long leaseMillis, int partitions) {
        String variant = contestant.variant().isEmpty() ? "default" : contestant.variant();
        process.open(server(contestant).address(), leaseMillis, partitions, variant);
    }

    /**
     * Measures each contestant in each round, in another order each time. Round 0 is warm-up and not recorded; a smoke run has none.
     * A contestant that fails gets new processes and a second attempt.
     */
    public void forEachRound(List<Contestant> participants, Measuring measuring) {
        forEachRound(List.of(""), setting -> participants, setting -> measuring);
    }

    /** The same with several settings in each round: all contestants of the first, all of the second, and so on. */
    public <S> void forEachRound(
            List<S> allSettings, Function<S, List<Contestant>> participants, Function<S, Measuring> measuring) {
        for (int round = size.pick(0, 1); round <= rounds; round++) {
            for (S setting : allSettings) {
                inTurn(participants.apply(setting), round, measuring.apply(setting));
            }
        }
    }

    private void inTurn(List<Contestant> participants, int round, Measuring measuring) {
        for (Contestant contestant : RoundOrder.of(participants, round)) {
            boolean done = false;
            for (int attempt = 0; attempt < 2 && !done; attempt++) {
                done = measured(contestant, round, measuring);
            }
            if (!done) {
                failed("%s could not be measured in round %d".formatted(contestant.title(), round));
            }
        }
    }

    private boolean measured(Contestant contestant, int round, Measuring measuring) {
        int before = samples.size();
        try {
            measuring.measure(contestant, round);
            return true;
        } catch (RuntimeException e) {
            System.out.println("  FAILED in round " + round + ": " + e.getMessage());
            samples.subList(before, samples.size()).clear();
            workers.getOrDefault(contestant.name(), List.of()).forEach(WorkerProcess::kill);
            workers.remove(contestant.name());
            return false;
        }
    }

    /** Records a sample, unless it is of the warm-up. */
    public void record(String scenario, Contestant contestant, String setting, int round, Map<String, Double> figures) {
        System.out.printf("  %s %s %s, round %d: %s%n", scenario, contestant.name(), setting, round, brief(figures));
        if (round > 0) {
            samples.add(new Sample(scenario, contestant.name(), setting, round, new TreeMap<>(figures)));
        }
    }

    private static String brief(Map<String, Double> figures) {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(figures).forEach((name, value) -> text.append(String.format("%s %.4g  ", name, value)));
        return text.toString();
    }

    /** Records that a measurement failed. */
    public void failed(String text) {
        failed = true;
        note(text);
    }

    /** Whether a measurement failed since this was asked for last. */
    boolean takeFailed() {
        boolean since = failed;
        failed = false;
        return since;
    }

    /** Records a note for readers of the report, without the folders of this machine. */
    public void note(String text) {
        System.out.println("  NOTE " + text);
        notes.add(withoutFolders(text));
    }

    private static String withoutFolders(String text) {
        return FOLDERS.matcher(text).replaceAll("");
    }

    /** The samples of a scenario, with the notes recorded meanwhile. */
    Results results(String scenario, List<String> environment) {
        List<Sample> ofScenario = samples.stream()
                .filter(sample -> sample.scenario().equals(scenario))
                .toList();
        List<String> remarks =
                new ArrayList<>(unavailable.stream().map(Lab::withoutFolders).toList());
        remarks.addAll(notes);
        notes.clear();
        return new Results(scenario, size, rounds, environment, remarks, ofScenario);
    }

    @Override
    public void close() {
        endWorkers();
        servers.close();
    }

    /** Measures one contestant once. */
    @FunctionalInterface
    public interface Measuring {

        /** Measures; round 0 is warm-up. */
        void measure(Contestant contestant, int round);
    }
}
