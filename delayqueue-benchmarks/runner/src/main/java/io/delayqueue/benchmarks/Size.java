package io.delayqueue.benchmarks;

/** The size of a run. */
public enum Size {
    /** Figures that can be trusted. */
    FULL,
    /** One minute that shows that everything runs. */
    SMOKE;

    /** The first value for {@link #FULL}, the second for {@link #SMOKE}. */
    public <T> T pick(T full, T smoke) {
        return this == FULL ? full : smoke;
    }
}
