package io.delayqueue.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Gathers what is to be repeated at about the same time, so that a bulk stays a bulk. Safe for use by several threads. */
final class RepeatRounds<T> {

    /** Longer than it takes to tell the messages of a bulk their failures, and short beside the delays. */
    private static final long ROUND_NANOS = Duration.ofMillis(50).toNanos();

    private final ScheduledExecutorService timer;
    private final Consumer<List<T>> repeat;
    private final Map<Long, List<T>> rounds = new ConcurrentHashMap<>();

    /**
     * Without a round.
     *
     * @param repeat takes those of one round
     */
    RepeatRounds(ScheduledExecutorService timer, Consumer<List<T>> repeat) {
        this.timer = timer;
        this.repeat = repeat;
    }

    /** Adds one to the first round after the delay. */
    void add(T each, Duration delay) {
        long now = System.nanoTime();
        rounds.compute(Math.floorDiv(now + delay.toNanos(), ROUND_NANOS) + 1, (round, known) -> {
            List<T> all = known == null ? new ArrayList<>() : known;
            all.add(each);
            if (known == null) {
                timer.schedule(() -> run(round), round * ROUND_NANOS - now, TimeUnit.NANOSECONDS);
            }
            return all;
        });
    }

    private void run(long round) {
        List<T> all = rounds.remove(round);
        if (all != null) {
            repeat.accept(all);
        }
    }
}
