package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Lab;
import java.time.Duration;
import java.util.List;

/** The speed and cost of scheduling: by one thread, by many, and in batches. */
public final class ScheduleScenario implements Scenario {

    /** Threads × messages a call. */
    private static final List<String> MODES = List.of("1x1", "8x1", "64x1", "1x100", "1x1000");

    private static final List<String> SMOKE_MODES = List.of("1x100");

    @Override
    public String name() {
        return "schedule";
    }

    @Override
    public Duration estimate(Lab lab) {
        List<String> modes = modes(lab);
        return Duration.ofMillis(
                (millis(lab) + 250L) * modes.size() * lab.contestants().size() * lab.allRounds());
    }

    private static List<String> modes(Lab lab) {
        return lab.chosen(lab.size().pick(MODES, SMOKE_MODES));
    }

    private static int millis(Lab lab) {
        return lab.size().pick(1_000, 100);
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(lab.contestants(), (contestant, round) -> {
            for (String mode : modes(lab)) {
                Scheduled scheduled = Scheduled.of(lab, contestant, mode, millis(lab));
                lab.record(name(), contestant, mode, round, scheduled.figures());
            }
        });
    }
}
