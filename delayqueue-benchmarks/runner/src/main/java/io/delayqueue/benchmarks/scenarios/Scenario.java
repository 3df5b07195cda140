package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.Size;
import java.time.Duration;

/** Measures one property of all contestants. */
public interface Scenario {

    /** Names it on the command line and in the raw figures. */
    String name();

    /** The approximate duration. */
    Duration estimate(Lab lab);

    /** The warm-up, in words: measurements that are thrown away. */
    default String warmUp(Size size) {
        return size.pick("one round of warm-up", "no warm-up");
    }

    /** Measures all contestants in all rounds. */
    void run(Lab lab);
}
