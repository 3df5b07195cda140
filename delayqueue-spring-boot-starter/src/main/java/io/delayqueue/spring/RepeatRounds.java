package io.delayqueue.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gathers what is to be repeated at about the same time, so that a bulk stays a bulk. Safe for use by several threads. */
final class RepeatRounds<T> {

    /** One name for all that is logged about such calls. */
    private static final Logger log = LoggerFactory.getLogger(CommittedOperations.class);

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

    /** Adds one to the first round after the delay. If no thread can be made for it, it is repeated together with a later one. */
    void add(T each, Duration delay) {
        long now = System.nanoTime();
        long round = Math.floorDiv(now + delay.toNanos(), ROUND_NANOS) + 1;
        List<T> fresh = new ArrayList<>();
        List<T> all = rounds.compute(round, (number, known) -> {
            List<T> ofRound = known == null ? fresh : known;
            ofRound.add(each);
            return ofRound;
        });
        if (all == fresh) {
            try {
                timer.schedule(() -> run(round), round * ROUND_NANOS - now, TimeUnit.NANOSECONDS);
            } catch (Throwable noThread) {
                log.warn("No thread could be started to repeat calls: they are repeated with the next ones", noThread);
            }
        }
    }

    private void run(long round) {
        for (Long other : rounds.keySet()) {
            List<T> all = other <= round ? rounds.remove(other) : null;
            if (all != null) {
                repeat.accept(all);
            }
        }
    }
}
