package io.delayqueue.soak;

import io.delayqueue.testsupport.fleet.Entry;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Verdict;
import io.delayqueue.testsupport.fleet.Verdict.DuplicateCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The result of a soak.
 *
 * @param drained whether all messages were handled at the end
 * @param checks number of checks that the counters add up
 * @param wrong number of those that failed
 */
record SoakReport(
        Duration duration,
        long seed,
        String server,
        boolean drained,
        int checks,
        int wrong,
        List<FaultRun> faults,
        List<Entry> entries,
        Verdict verdict) {

    /** A message's times: due, first entry of a handler, first completed handler. */
    private record Life(long due, long begun, long ended) {}

    private static final long MARGIN_MICROS = 1_000_000;

    /** The longest time from the end of a fault until all that was due by then was handled. */
    Duration longestRecovery() {
        List<Life> lives = lives();
        return Duration.ofNanos(1000
                * faults.stream().mapToLong(run -> recovery(run, lives)).max().orElse(0));
    }

    /** Number of messages that were due while nothing was wrong. */
    long undisturbed() {
        return undisturbedLives().size();
    }

    /** The largest lateness of the messages that were due while nothing was wrong. */
    Duration latestUndisturbed() {
        return Duration.ofNanos(1000
                * undisturbedLives().stream()
                        .mapToLong(life -> life.begun() - life.due())
                        .max()
                        .orElse(0));
    }

    private List<Life> undisturbedLives() {
        List<Life> lives = lives();
        Map<FaultRun, Long> recoveries = recoveries(lives);
        return lives.stream().filter(life -> !duringFault(life, recoveries)).toList();
    }

    /** Deliveries that the faults may repeat, and those that one stall of the machine may. */
    int mostDuplicates() {
        return Soak.MOST_IN_HAND
                + faults.stream().mapToInt(FaultRun::mostDuplicates).sum();
    }

    String markdown() {
        List<Life> lives = lives();
        Map<FaultRun, Long> recoveries = recoveries(lives);
        StringBuilder text = new StringBuilder();
        line(text, "# Report of a soak");
        line(text, "");
        line(text, "| | |");
        line(text, "| --- | --- |");
        row(text, "duration", duration.toString().substring(2).toLowerCase(Locale.ROOT));
        row(text, "seed", seed);
        row(text, "server", server + ", `appendonly yes`, `appendfsync always`");
        row(
                text,
                "Java",
                System.getProperty("java.version") + ", " + Runtime.getRuntime().availableProcessors()
                        + " processors for all");
        row(
                text,
                "workers",
                Soak.WORKERS + " processes, each schedules " + Soak.PER_SECOND + " messages/s and consumes; lease "
                        + Soak.LEASE.toSeconds() + " s, guard " + Soak.GUARD.toSeconds() + " s");
        row(text, "faults", faults.size());
        line(text, "");
        line(text, "| messages | |");
        line(text, "| --- | --: |");
        row(text, "intended", verdict.intended());
        row(text, "acknowledged", verdict.acknowledged());
        row(text, "schedule calls repeated, having failed", count(What.REPEATED));
        row(text, "reached a handler", verdict.observed());
        row(text, "**acknowledged and lost**", verdict.lost().size());
        row(text, "**handled, yet never scheduled**", verdict.invented().size());
        row(text, "**early**", verdict.early().size());
        row(text, "**late, though no fault had struck**", verdict.late().size());
        row(text, "delivered again since their process was killed", duplicates(DuplicateCause.CRASH));
        row(text, "delivered again since their lease was lost", duplicates(DuplicateCause.LEASE_LOST));
        row(text, "delivered again since the schedule was repeated", duplicates(DuplicateCause.SCHEDULE_REPEATED));
        row(text, "**delivered again without a cause**", verdict.unexplained().size());
        row(text, "checks of the counters' equation", checks);
        row(text, "**checks it failed**", wrong);
        row(text, "drained at the end", drained ? "yes" : "**no**");
        line(text, "");
        line(text, "| lateness, ms | messages | p50 | p90 | p99 | p99.9 | max |");
        line(text, "| --- | --: | --: | --: | --: | --: | --: |");
        lateness(text, "due while nothing was wrong", lives, life -> !duringFault(life, recoveries));
        lateness(text, "all", lives, life -> true);
        line(text, "");
        line(text, "Recovery: from the end of the fault until all that was due by then was handled, s.");
        line(text, "");
        line(text, "| fault | times | median | max |");
        line(text, "| --- | --: | --: | --: |");
        for (Fault fault : Fault.values()) {
            long[] micros = faults.stream()
                    .filter(strike -> strike.fault() == fault)
                    .mapToLong(recoveries::get)
                    .sorted()
                    .toArray();
            if (micros.length > 0) {
                line(
                        text,
                        String.format(
                                Locale.ROOT,
                                "| %s | %d | %.2f | %.2f |",
                                fault.description(),
                                micros.length,
                                micros[micros.length / 2] / 1e6,
                                micros[micros.length - 1] / 1e6));
            }
        }
        return text.toString();
    }

    private List<Life> lives() {
        Map<String, long[]> byId = new HashMap<>();
        for (Entry entry : entries) {
            // due, begun, ended, acknowledged, delay
            long[] times = byId.computeIfAbsent(entry.id(), id -> new long[5]);
            switch (entry.what()) {
                case INTENDED -> times[4] = entry.number();
                case ACKNOWLEDGED -> times[3] = entry.notBefore();
                case BEGUN -> {
                    if (times[1] == 0 || entry.notBefore() < times[1]) {
                        times[1] = entry.notBefore();
                        times[0] = entry.number() == 1 ? entry.due() : 0;
                    }
                }
                case ENDED -> times[2] = times[2] == 0 ? entry.notBefore() : Math.min(times[2], entry.notBefore());
                default -> {}
            }
        }
        List<Life> lives = new ArrayList<>();
        for (long[] times : byId.values()) {
            // the first attempt reached no handler: the due time is known from the schedule call
            long due = times[0] != 0 ? times[0] : times[3] + times[4];
            if (times[1] != 0 && times[2] != 0 && due != times[4]) {
                lives.add(new Life(due, times[1], times[2]));
            }
        }
        return lives;
    }

    private Map<FaultRun, Long> recoveries(List<Life> lives) {
        Map<FaultRun, Long> recoveries = new HashMap<>();
        faults.forEach(strike -> recoveries.put(strike, recovery(strike, lives)));
        return recoveries;
    }

    private static long recovery(FaultRun strike, List<Life> lives) {
        return lives.stream()
                .filter(life -> life.due() <= strike.ended())
                .mapToLong(life -> Math.max(0, life.ended() - strike.ended()))
                .max()
                .orElse(0);
    }

    private static boolean duringFault(Life life, Map<FaultRun, Long> recoveries) {
        return recoveries.entrySet().stream().anyMatch(entry -> {
            FaultRun strike = entry.getKey();
            return life.due() >= strike.begun() - MARGIN_MICROS
                    && life.due() <= strike.ended() + entry.getValue() + MARGIN_MICROS;
        });
    }

    private static void lateness(StringBuilder text, String name, List<Life> all, Predicate<Life> which) {
        long[] micros = all.stream()
                .filter(which)
                .mapToLong(life -> Math.max(0, life.begun() - life.due()))
                .sorted()
                .toArray();
        if (micros.length == 0) {
            return;
        }
        StringBuilder row = new StringBuilder("| " + name + " | " + micros.length + " |");
        for (double quantile : new double[] {0.5, 0.9, 0.99, 0.999, 1}) {
            int index = (int) Math.min(micros.length - 1, quantile * micros.length);
            row.append(String.format(Locale.ROOT, " %.1f |", micros[index] / 1000.0));
        }
        line(text, row.toString());
    }

    private long count(What what) {
        return entries.stream().filter(entry -> entry.what() == what).count();
    }

    private int duplicates(DuplicateCause cause) {
        return verdict.duplicates().getOrDefault(cause, 0);
    }

    private static void row(StringBuilder text, String name, Object value) {
        line(text, "| " + name + " | " + value + " |");
    }

    private static void line(StringBuilder text, String line) {
        text.append(line).append('\n');
    }
}
