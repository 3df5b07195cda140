package io.delayqueue.benchmarks;

import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Servers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What a scenario works with: servers, processes with peers in them, and where its samples go. */
public final class Lab implements AutoCloseable {

    private static final Pattern FOLDERS = Pattern.compile("(?<![\\w./:])/(?:[\\w.@+-]+/)+");

    private final Size size;
    private final int rounds;
    private final Set<String> settings;
    private final List<String> commits;
    private final Jvms jvms;
    private final Servers servers = new Servers();
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
        this.contestants = options.peers().stream()
                .filter(contestant -> servers.get(contestant.server()).isPresent())
                .toList();
        servers.missing().forEach(System.out::println);
    }

    /** How much to measure. */
    public Size size() {
        return size;
    }

    /** How many rounds count; one more goes before them, to warm up. */
    public int rounds() {
        return rounds;
    }

    /** Which code is measured. */
    List<String> commits() {
        return commits;
    }

    /** Those of these settings that are to be measured. */
    public <T> List<T> chosen(List<T> all) {
        return all.stream().filter(setting -> isChosen(setting.toString())).toList();
    }

    /** Whether this setting is to be measured. */
    public boolean isChosen(String setting) {
        return settings.isEmpty() || settings.contains(setting);
    }

    /** Who takes part. */
    public List<Contestant> contestants() {
        return contestants;
    }

    /** Those of these names that take part. Smoke needs no comparison: this library alone then. */
    public List<Contestant> contestants(String... names) {
        List<String> wanted = size.pick(List.of(names), List.of(Contestants.CORE));
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

    /** The first of its processes, started if it isn't there. */
    public WorkerProcess worker(Contestant contestant) {
        return workers(contestant, 1).get(0);
    }

    /** So many of its processes, started if they aren't there. */
    public List<WorkerProcess> workers(Contestant contestant, int count) {
        List<WorkerProcess> existing = workers.computeIfAbsent(contestant.name(), name -> new ArrayList<>());
        while (existing.size() < count) {
            existing.add(WorkerProcess.start(contestant, jvms));
        }
        return List.copyOf(existing.subList(0, count));
    }

    /** Kills one of its processes, as {@code kill -9}. */
    public void kill(Contestant contestant, WorkerProcess worker) {
        worker.kill();
        workers.getOrDefault(contestant.name(), new ArrayList<>()).remove(worker);
    }

    /** Ends all processes; the next ones are new. */
    public void endWorkers() {
        workers.values().forEach(each -> each.forEach(WorkerProcess::close));
        workers.clear();
    }

    /** Runs a program of this module in a process of its own, to its end. */
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

    /** Empties the server, and connects these processes to it. */
    public void openOnEmpty(Contestant contestant, List<WorkerProcess> processes) {
        server(contestant).flush();
        processes.forEach(process -> open(contestant, process));
    }

    /** Connects this process to the server of its peer. */
    public void open(Contestant contestant, WorkerProcess process) {
        open(contestant, process, 30_000);
    }

    /** The same with another lease. */
    public void open(Contestant contestant, WorkerProcess process, long leaseMillis) {
        process.call(
                "open",
                "server",
                server(contestant).address(),
                "lease",
                leaseMillis,
                "partitions",
                1,
                "variant",
                contestant.variant().isEmpty() ? "default" : contestant.variant());
    }

    /**
     * Measures each in each round. Round 0 warms up, and its samples don't count; smoke has none. The order is another one in each round. Who fails
     * gets new processes and a second try.
     */
    public void forEachRound(List<Contestant> participants, Measuring measuring) {
        for (int round = size.pick(0, 1); round <= rounds; round++) {
            List<Contestant> order = new ArrayList<>(participants);
            if (!order.isEmpty()) {
                Collections.rotate(order, round);
            }
            if (round % 2 == 1) {
                Collections.reverse(order);
            }
            for (Contestant contestant : order) {
                boolean done = false;
                for (int attempt = 0; attempt < 2 && !done; attempt++) {
                    done = measured(contestant, round, measuring);
                }
                if (!done) {
                    failed("%s could not be measured in round %d".formatted(contestant.title(), round));
                }
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

    /** Keeps what was measured, unless it was to warm up. */
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

    /** Keeps that something could not be measured. */
    public void failed(String text) {
        failed = true;
        note(text);
    }

    boolean hasFailed() {
        return failed;
    }

    /** Keeps something that readers of the report should know, without the folders of this machine. */
    public void note(String text) {
        System.out.println("  NOTE " + text);
        notes.add(withoutFolders(text));
    }

    private static String withoutFolders(String text) {
        return FOLDERS.matcher(text).replaceAll("");
    }

    /** All that this scenario measured, with the notes made meanwhile. */
    Results results(String scenario, List<String> environment) {
        List<Sample> ofScenario = samples.stream()
                .filter(sample -> sample.scenario().equals(scenario))
                .toList();
        List<String> remarks = new ArrayList<>(
                servers.missing().stream().map(Lab::withoutFolders).toList());
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

        /** Round 0 is to warm up. */
        void measure(Contestant contestant, int round);
    }
}
