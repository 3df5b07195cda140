package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Lab;
import java.time.Duration;

/** Measures one property of all contestants. */
public interface Scenario {

    /** Names it on the command line and in the raw figures. */
    String name();

    /** The approximate duration. */
    Duration estimate(Lab lab);

    /** Measures all contestants in all rounds. */
    void run(Lab lab);
}
