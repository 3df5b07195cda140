package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Lab;
import java.time.Duration;

/** Something to be measured. */
public interface Scenario {

    /** On the command line, and in the raw figures. */
    String name();

    /** How long it takes, about. */
    Duration estimate(Lab lab);

    /** Measures everyone in every round. */
    void run(Lab lab);
}
