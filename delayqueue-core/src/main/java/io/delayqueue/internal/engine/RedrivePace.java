package io.delayqueue.internal.engine;

import io.delayqueue.Delay;
import io.delayqueue.RedriveOptions;
import io.delayqueue.internal.store.DeadLetterStore.RedriveStep;
import io.delayqueue.internal.store.DeadLetterStore.RedriveTimes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The due times of one redrive: each of its steps continues where the last one ended. Not safe for use by several threads. */
final class RedrivePace {

    private static final double MICROS_PER_SECOND = 1_000_000;

    private final RedriveOptions options;
    private final double microsBetween;
    private @Nullable Instant firstDue;
    private long redriven;

    RedrivePace(RedriveOptions options) {
        this.options = options;
        this.microsBetween = options.ratePerSecond() == 0 ? 0 : MICROS_PER_SECOND / options.ratePerSecond();
    }

    /** Those of the next step. */
    RedriveTimes next() {
        Instant first = firstDue;
        return new RedriveTimes(
                first == null || microsBetween == 0
                        ? Delay.of(options.delay())
                        : Delay.until(first.plus((long) (redriven * microsBetween), ChronoUnit.MICROS)),
                microsBetween);
    }

    void took(RedriveStep step) {
        if (firstDue == null) {
            // Redis' clock decides, as for the first step
            firstDue = Instant.EPOCH.plus(step.timeMicros(), ChronoUnit.MICROS).plus(options.delay());
        }
        redriven += step.count();
    }

    /** Number of messages redriven so far. */
    long redriven() {
        return redriven;
    }
}
